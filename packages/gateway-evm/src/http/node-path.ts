import { requestPath } from '@fairlead/gateway-core/http/request-target'
import { decodeLeniently } from '@fairlead/gateway-core/uri'

/** A path of JSON-RPC, taken apart. */
export interface NodePath {
  /** The token when the path holds one. */
  readonly token?: string | undefined
  /** What follows the token: the high-throughput chain's `evm`, or nothing. */
  readonly endpoint: '' | 'evm'
}

/**
 * Reads the path of a JSON-RPC request: `/<token>`, `/<token>/evm`, and `/` or `/evm` with basic authentication.
 *
 * @param target - request target as it came, for example `/t0k3n/evm?x=1`
 * @param reserved - first segments that no token is like
 * @returns undefined when the path belongs to the control plane, to another protocol or to nobody
 */
export function matchNodePath(target: string, reserved: ReadonlySet<string>): NodePath | undefined {
  const path = requestPath(target)
  const [first = '', second = '', ...rest] = path.replace(/\/$/, '').split('/').slice(1)
  if (!path.startsWith('/') || rest.length > 0 || reserved.has(first)) return undefined
  if (second !== '' && second !== 'evm') return undefined
  if (first === '') return second === '' ? { endpoint: '' } : undefined
  if (first === 'evm' && second === '') return { endpoint: 'evm' }
  return { token: decodeLeniently(first), endpoint: second }
}

const webSocketPrefix = '/ws'

/**
 * Reads the path of a WebSocket: `/ws/<token>`, `/ws/<token>/evm`, `/ws` or `/ws/evm` with basic authentication, and as
 * aliases the paths of JSON-RPC over HTTP.
 *
 * @param target - request target as it came, for example `/ws/t0k3n`
 * @param reserved - first segments that no token is like
 * @returns undefined when no WebSocket is served there
 */
export function matchWebSocketPath(target: string, reserved: ReadonlySet<string>): NodePath | undefined {
  if (!isWebSocketPath(target)) return matchNodePath(target, reserved)
  const rest = requestPath(target).slice(webSocketPrefix.length)
  return matchNodePath(rest === '' ? '/' : rest, reserved)
}

/** Tells whether a path serves WebSockets and nothing else. */
export function isWebSocketPath(target: string): boolean {
  const path = requestPath(target)
  return path === webSocketPrefix || path.startsWith(`${webSocketPrefix}/`)
}
