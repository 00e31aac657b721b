import type { Endpoints } from '@lodestar/api'
import type { ApplicationMethods } from '@lodestar/api/server'
import type { BeaconChain } from '../../chain/beacon-chain.ts'
import { versionedFlags } from '../finality-flags.ts'

type DebugMethods = Pick<
  ApplicationMethods<Endpoints['debug']>,
  'getStateV2' | 'getDebugChainHeadsV2' | 'getDebugDataColumnSidecars'
>

/**
 * Creates the operations of `/eth/v1/debug` and `/eth/v2/debug`, except the fork choice, which is in a separate file.
 *
 * @param chain The chain to read from.
 * @returns The methods by operation id.
 */
export function createDebugMethods(chain: BeaconChain): DebugMethods {
  return {
    async getStateV2({ stateId }, context) {
      const record = chain.state(stateId)
      const data = context?.returnBytes ? record.state.serialize() : record.state.toValue()
      return { data, meta: versionedFlags(record) }
    },
    async getDebugChainHeadsV2() {
      const possible = chain.forkChoice().entries.filter((entry) => entry.validity !== 'invalid')
      const parents = new Set(possible.map((entry) => entry.parentRoot))
      return {
        data: possible
          .filter((entry) => !parents.has(entry.blockRoot))
          .map(({ slot, blockRoot, validity }) => ({
            slot,
            root: blockRoot,
            executionOptimistic: validity === 'optimistic',
          })),
      }
    },
    async getDebugDataColumnSidecars({ blockId }) {
      return { data: [], meta: versionedFlags(chain.block(blockId)) }
    },
  }
}
