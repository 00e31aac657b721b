import type { RouteMatch } from '@fairlead/gateway-core/http/route'
import type { ProtocolRoute } from '@fairlead/gateway-core/protocol/description'

/** What follows the credential in a path: the high-throughput chain's `evm`, or nothing. */
export type RpcEndpoint = '' | 'evm'

const rpcPath = { afterToken: '', isDeep: false } as const
const evmPath = { afterToken: 'evm', isDeep: false } as const

const webSocketPrefix = 'ws'

/**
 * JSON-RPC by POST at `/<token>` and `/<token>/evm`, WebSockets there and below `/ws`, and all of them without a token for basic
 * authentication. Below `/ws` a request without an upgrade is rejected.
 */
export const rpcRoutes: readonly ProtocolRoute[] = [
  { kind: 'http', pattern: rpcPath, isBuffered: true },
  { kind: 'http', pattern: evmPath, isBuffered: true },
  { kind: 'upgrade-required', pattern: { prefix: webSocketPrefix, root: 'evm' } },
  { kind: 'websocket', pattern: rpcPath },
  { kind: 'websocket', pattern: evmPath },
  { kind: 'websocket', pattern: { prefix: webSocketPrefix, ...rpcPath } },
  { kind: 'websocket', pattern: { prefix: webSocketPrefix, ...evmPath } },
]

export function rpcEndpointOf({ pattern }: RouteMatch): RpcEndpoint {
  return 'afterToken' in pattern && pattern.afterToken === evmPath.afterToken ? 'evm' : ''
}
