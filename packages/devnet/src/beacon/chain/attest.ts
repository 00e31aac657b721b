import {
  computeEpochAtSlot,
  computeStartSlotAtEpoch,
  type CachedBeaconStateFulu,
} from '@lodestar/state-transition'
import type { phase0, RootHex, Slot } from '@lodestar/types'
import { fromHex } from '@lodestar/utils'
import type { ChainParts } from './chain-parts.ts'

/**
 * Returns the attestation data that an attester of a slot votes for when a given block is its head (consensus-specs,
 * validator guide).
 *
 * @param parts The chain; the block must be in its fork choice.
 * @param blockRoot The block.
 * @param slot The slot, not before the block's.
 * @returns The data of the vote, and the state that it comes from.
 */
export function attestationDataFor(
  { states, forkChoice }: ChainParts,
  blockRoot: RootHex,
  slot: Slot,
): { data: phase0.AttestationData; state: CachedBeaconStateFulu } {
  const epoch = computeEpochAtSlot(slot)
  const state = states.advanced(blockRoot, computeStartSlotAtEpoch(epoch))
  const targetRoot = forkChoice.checkpointBlock(blockRoot, epoch) ?? blockRoot
  const data = {
    slot,
    index: 0,
    beaconBlockRoot: fromHex(blockRoot),
    source: state.currentJustifiedCheckpoint.toValue(),
    target: { epoch, root: fromHex(targetRoot) },
  }
  return { data, state }
}
