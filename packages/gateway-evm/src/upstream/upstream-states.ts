import type { UpstreamState } from '@fairlead/gateway-core/upstream/upstream'
import type { EvmUpstreams } from './evm-upstreams.ts'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { parseUpstreams } from '@fairlead/gateway-core/grants/parse-upstreams'

/**
 * Reads the states of the EVM upstreams of a node, in their order. Each call has this process poll them for a minute, so that
 * the next one returns more.
 */
export function upstreamStatesOf(
  upstreams: Pick<EvmUpstreams, 'chainOf' | 'states'>,
  grant: Grant,
): readonly UpstreamState[] {
  const count = countOf(grant.upstreams['evm'])
  if (count === 0 || !isWatched(upstreams, grant)) return []
  // Nodes with the same upstreams share their states; those that were used last stand last.
  return upstreams.states().slice(-count)
}

function countOf(text: string | undefined): number {
  try {
    return parseUpstreams(text ?? '').length
  } catch {
    // Whoever wrote it was told so.
    return 0
  }
}

function isWatched(upstreams: Pick<EvmUpstreams, 'chainOf'>, grant: Grant): boolean {
  try {
    const { head } = upstreams.chainOf(grant)
    return head !== null
  } catch {
    return false
  }
}
