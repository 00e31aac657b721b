import { requestPath } from '@fairlead/gateway-core/http/request-target'
import { decodeLeniently } from '@fairlead/gateway-core/uri'

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
