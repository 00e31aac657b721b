import type { UpstreamState } from '@fairlead/gateway-core/upstream/upstream'
import type { EvmUpstreams } from './evm-upstreams.ts'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { parseUpstreams } from '@fairlead/gateway-core/grants/parse-upstreams'

/**
 * Makes what tells how the EVM upstreams of a node are, in their order. Each question has this process look after them
 * for a minute, so that it can say more the next time.
 */
export function liveUpstreams(
  upstreams: Pick<EvmUpstreams, 'chainOf' | 'states'>,
): (grant: Grant) => readonly UpstreamState[] {
  return (grant) => {
    const count = countOf(grant.upstreams['evm'])
    if (count === 0 || !isWatched(upstreams, grant)) return []
    // Nodes with the same upstreams share what is known of them; what was asked for last stands last.
    return upstreams.states().slice(-count)
  }
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
