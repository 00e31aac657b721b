import { requestPath } from '@fairlead/gateway-core/http/request-target'
import { decodeLeniently } from '@fairlead/gateway-core/uri'

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
 * @param reserved - first segments that no token is like
 * @returns undefined when the path belongs to another protocol
 */
export function matchJettonPath(target: string, reserved: ReadonlySet<string>): JettonPath | undefined {
  const path = requestPath(target)
  const query = target.includes('?') ? target.slice(target.indexOf('?')) : ''
  const [before, first = '', second] = path.split('/', 3)
  if (before !== '') return undefined
  if (first === 'api') return { target: `${path}${query}` }
  if (second !== 'api' || first === '' || reserved.has(first)) return undefined
  return { token: decodeLeniently(first), target: `${path.slice(first.length + 1)}${query}` }
}
