import type { Limits } from '../../grants/limits.ts'
import type { NodeGrant } from '../../grants/node-grant.ts'

type SizeLimit = 'maxBodyBytes' | 'maxBatchItems' | 'maxLogRange'

/**
 * How much one request of a grant may hold or ask for: what the service lets everybody, or the least that the grant's
 * owners say.
 *
 * @param ofService - 0 for any number
 */
export function sizeLimit({ limits }: NodeGrant, name: SizeLimit, ofService: number): number {
  if (limits === undefined) return ofService
  const owners: (Limits | undefined)[] = [limits.credential, limits.node, limits.project]
  const all = [ofService, ...owners.map((owner) => owner?.[name] ?? 0)].filter((limit) => limit > 0)
  return all.length === 0 ? 0 : Math.min(...all)
}
