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

/** What all activities of the chain work on. */
export interface ChainParts {
  readonly config: BeaconConfig
  readonly blocks: BlockStore
  readonly states: StateStore
  readonly forkChoice: ForkChoice
  readonly execution: ExecutionLayer
  readonly events: ChainEvents
  readonly liveness: Liveness
  /** The head that was chosen last. */
  head: StoredBlock
}

/** The state of the head, advanced to the epoch of the current slot, so that it knows the committees of today. */
export function headStateOfToday({ head, states, forkChoice }: ChainParts): CachedBeaconStateFulu {
  const epoch = computeEpochAtSlot(forkChoice.currentSlot)
  return states.advanced(head.root, computeStartSlotAtEpoch(epoch))
}
