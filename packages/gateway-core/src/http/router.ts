import { decodeLeniently } from '../uri.ts'

/** A path of the access plane, taken apart. */
export interface NodePath {
  /** The token when the path holds one. */
  readonly token?: string | undefined
  /** What follows the token: the high-throughput chain's `evm`, or nothing. */
  readonly endpoint: '' | 'evm'
}

// First segments with a meaning of their own: the control plane's, and those of other protocols. No token is like them.
const reservedSegments = new Set([
  'v1',
  'v2',
  'healthz',
  'readyz',
  'metrics',
  'console',
  'docs',
  'favicon.ico',
  'robots.txt',
  '.well-known',
  'beacon',
  'api',
  'ws',
])

/**
 * Reads the path of a JSON-RPC request: `/<token>`, `/<token>/evm`, and `/` or `/evm` with basic authentication.
 *
 * @param target - request target as it came, for example `/t0k3n/evm?x=1`
 * @returns undefined when the path belongs to the control plane or to nobody
 */
export function matchNodePath(target: string): NodePath | undefined {
  const path = requestPath(target)
  const [first = '', second = '', ...rest] = path.replace(/\/$/, '').split('/').slice(1)
  if (!path.startsWith('/') || rest.length > 0 || reservedSegments.has(first)) return undefined
  if (second !== '' && second !== 'evm') return undefined
  if (first === '') return second === '' ? { endpoint: '' } : undefined
  if (first === 'evm' && second === '') return { endpoint: 'evm' }
  return { token: decodeLeniently(first), endpoint: second }
}

/** A path of the beacon node API, taken apart. */
export interface BeaconPath {
  /** The token when the path holds one. */
  readonly token?: string | undefined
  /** Path and query below the credential, as they came, for example `/eth/v1/node/peers?state=connected`. */
  readonly target: string
}

const beaconPrefix = '/beacon'

/**
 * Reads the path of a beacon node request: `/beacon/<token>/eth/...`, and `/beacon/eth/...` with basic authentication.
 *
 * @param target - request target as it came
 * @returns undefined when the path belongs to another protocol
 */
export function matchBeaconPath(target: string): BeaconPath | undefined {
  const path = requestPath(target)
  if (path !== beaconPrefix && !path.startsWith(`${beaconPrefix}/`)) return undefined
  const query = target.includes('?') ? target.slice(target.indexOf('?')) : ''
  const below = path.slice(beaconPrefix.length)
  const [, first = ''] = below.split('/', 2)
  if (first === '' || first === 'eth') return { target: `${below}${query}` }
  return { token: decodeLeniently(first), target: `${below.slice(first.length + 1)}${query}` }
}

/** A path of the jetton chain API, taken apart. */
export interface JettonPath {
  /** The token when the path holds one. */
  readonly token?: string | undefined
  /** Path and query below the credential, as they came, for example `/api/v2/getTransactions?limit=1`. */
  readonly target: string
}

/**
 * Reads the path of a jetton chain request: `/<token>/api/...`, and `/api/...` with basic authentication.
 *
 * @param target - request target as it came
 * @returns undefined when the path belongs to another protocol
 */
export function matchJettonPath(target: string): JettonPath | undefined {
  const path = requestPath(target)
  const query = target.includes('?') ? target.slice(target.indexOf('?')) : ''
  const [before, first = '', second] = path.split('/', 3)
  if (before !== '') return undefined
  if (first === 'api') return { target: `${path}${query}` }
  if (second !== 'api' || first === '' || reservedSegments.has(first)) return undefined
  return { token: decodeLeniently(first), target: `${path.slice(first.length + 1)}${query}` }
}

const webSocketPrefix = '/ws'

/**
 * Reads the path of a WebSocket: `/ws/<token>`, `/ws/<token>/evm`, `/ws` or `/ws/evm` with basic authentication, and as
 * aliases the paths of JSON-RPC over HTTP.
 *
 * @param target - request target as it came, for example `/ws/t0k3n`
 * @returns undefined when no WebSocket is served there
 */
export function matchWebSocketPath(target: string): NodePath | undefined {
  if (!isWebSocketPath(target)) return matchNodePath(target)
  const rest = requestPath(target).slice(webSocketPrefix.length)
  return matchNodePath(rest === '' ? '/' : rest)
}

/** Tells whether a path serves WebSockets and nothing else. */
export function isWebSocketPath(target: string): boolean {
  const path = requestPath(target)
  return path === webSocketPrefix || path.startsWith(`${webSocketPrefix}/`)
}

/**
 * The path of a request target, without its query. A proxy may send the whole address in its place, which a server has
 * to understand.
 *
 * @see RFC 9112, section 3.2.2
 */
export function requestPath(target: string): string {
  const path = target.split('?', 1)[0] ?? ''
  const absolute = /^https?:\/\/[^/]+(\/.*)?$/i.exec(path)
  return absolute ? (absolute[1] ?? '/') : path
}
