import type { Grant } from '../grants/grant.ts'
import type { RequestLimit } from '../grants/limits.ts'

/**
 * The size limit of a request of a grant: the minimum of the gateway's limit and the limits of the grant's owners.
 *
 * @param ofService - limit of the gateway; 0 = unlimited
 */
export function sizeLimit({ limits }: Grant, name: RequestLimit, ofService: number): number {
  if (limits === undefined) return ofService
  return leastOf(
    leastOf(leastOf(ofService, limits.credential?.[name]), limits.node?.[name]),
    limits.project?.[name],
  )
}

/** The lesser of two limits; 0 = unlimited. */
function leastOf(limit: number, other = 0): number {
  if (other <= 0) return limit
  return limit <= 0 ? other : Math.min(limit, other)
}
