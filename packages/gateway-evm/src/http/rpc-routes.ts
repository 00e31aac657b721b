import type { RouteMatch } from '@fairlead/gateway-core/http/route'
import type { ProtocolRoute } from '@fairlead/gateway-core/protocol/description'

/** Path suffix after the credential: `evm` for the high-throughput chain, or empty. */
export type RpcEndpoint = '' | 'evm'

const rpcPath = { afterToken: '', isDeep: false } as const
const evmPath = { afterToken: 'evm', isDeep: false } as const

const webSocketPrefix = 'ws'

/**
 * Routes for JSON-RPC: POST at `/<token>` and `/<token>/evm`, WebSockets at the same paths and below `/ws`, and all of
 * them without a token for basic authentication. Below `/ws`, a request without an upgrade is rejected.
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
