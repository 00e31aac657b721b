import type { Grant } from '../grants/grant.ts'
import type { RequestLimit } from '../grants/limits.ts'

/**
 * How much one request of a grant may hold or ask for: what the service lets everybody, or the least that the grant's
 * owners say.
 *
 * @param ofService - 0 for any number
 */
export function sizeLimit({ limits }: Grant, name: RequestLimit, ofService: number): number {
  if (limits === undefined) return ofService
  return leastOf(
    leastOf(leastOf(ofService, limits.credential?.[name]), limits.node?.[name]),
    limits.project?.[name],
  )
}

/** The lesser of two limits, of which 0 is none. */
function leastOf(limit: number, other = 0): number {
  if (other <= 0) return limit
  return limit <= 0 ? other : Math.min(limit, other)
}
