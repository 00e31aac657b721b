import type { BeaconConfig } from '@lodestar/config'
import {
  computeEpochAtSlot,
  computeStartSlotAtEpoch,
  type CachedBeaconStateFulu,
} from '@lodestar/state-transition'
import type { BlockStore, StoredBlock } from './block-store.ts'
import type { ChainEvents } from './chain-events.ts'
import type { ExecutionLayer } from './execution-layer.ts'
import type { ForkChoice } from './fork-choice.ts'
import type { Liveness } from './liveness.ts'
import type { StateStore } from './state-store.ts'

/** The state that all activities of the chain share. */
export interface ChainParts {
  readonly config: BeaconConfig
  readonly blocks: BlockStore
  readonly states: StateStore
  readonly forkChoice: ForkChoice
  readonly execution: ExecutionLayer
  readonly events: ChainEvents
  readonly liveness: Liveness
  /** The head that was selected last. */
  head: StoredBlock
}

/**
 * Returns the state of the head, advanced to the epoch of the current slot, so that it contains the current committees.
 */
export function currentHeadState({ head, states, forkChoice }: ChainParts): CachedBeaconStateFulu {
  const epoch = computeEpochAtSlot(forkChoice.currentSlot)
  return states.advanced(head.root, computeStartSlotAtEpoch(epoch))
}
