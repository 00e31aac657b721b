import { toRootHex } from '@lodestar/utils'
import type { phase0 } from '@lodestar/types'
import type { BeaconChain, ForkChoiceEntry } from '../chain/beacon-chain.ts'

/**
 * Returns the fork choice store in the format of `GET /eth/v1/debug/fork_choice`: without envelope, integers as decimal
 * strings, and non-standard fields in `extra_data`.
 *
 * @param chain The chain whose store is described.
 * @returns The JSON body.
 */
export function describeForkChoice(chain: BeaconChain): object {
  const { justified, finalized, proposerBoostRoot, entries } = chain.forkChoice()
  return {
    justified_checkpoint: describeCheckpoint(justified),
    finalized_checkpoint: describeCheckpoint(finalized),
    fork_choice_nodes: entries.map(describeEntry),
    extra_data: { head_root: chain.head.root, proposer_boost_root: proposerBoostRoot },
  }
}

function describeCheckpoint({ epoch, root }: phase0.Checkpoint): object {
  return { epoch: String(epoch), root: toRootHex(root) }
}

function describeEntry(entry: ForkChoiceEntry): object {
  return {
    slot: String(entry.slot),
    block_root: entry.blockRoot,
    parent_root: entry.parentRoot,
    justified_epoch: String(entry.justifiedEpoch),
    finalized_epoch: String(entry.finalizedEpoch),
    weight: String(entry.weight),
    validity: entry.validity,
    execution_block_hash: entry.executionBlockHash,
    extra_data: {
      state_root: entry.stateRoot,
      target_root: entry.targetRoot,
      unrealized_justified_epoch: String(entry.unrealizedJustifiedEpoch),
      unrealized_finalized_epoch: String(entry.unrealizedFinalizedEpoch),
      best_child: entry.bestChild ?? null,
      best_descendant: entry.bestDescendant ?? null,
    },
  }
}
