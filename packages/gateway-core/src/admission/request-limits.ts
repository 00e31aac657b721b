import type { Grant } from '../grants/grant.ts'
import type { RequestLimit } from '../grants/limits.ts'

/**
 * The size limit of a request of a grant: the minimum of the gateway's limit and the limits of the grant's owners.
 *
 * @param defaults - limit of the gateway; 0 = unlimited
 */
export function sizeLimit({ limits }: Grant, name: RequestLimit, defaults: number): number {
  if (limits === undefined) return defaults
  return minOf(minOf(minOf(defaults, limits.credential?.[name]), limits.node?.[name]), limits.project?.[name])
}

/** The lesser of two limits; 0 = unlimited. */
function minOf(limit: number, other = 0): number {
  if (other <= 0) return limit
  return limit <= 0 ? other : Math.min(limit, other)
}
