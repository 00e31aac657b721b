import type { routes } from '@lodestar/api'
import type { BeaconConfig } from '@lodestar/config'
import type { CachedBeaconStateFulu } from '@lodestar/state-transition'
import type {
  altair,
  capella,
  electra,
  Epoch,
  fulu,
  phase0,
  RootHex,
  Slot,
  ValidatorIndex,
} from '@lodestar/types'

/**
 * Why the chain stopped following the clock: `stop` was called, or the clock and the chain differ by more than an hour.
 */
export type ClockEnd = 'stopped' | 'lost'

/** To what extent the execution layer has verified the payload of a block. */
export type Validity = 'valid' | 'invalid' | 'optimistic'

/** A block that the chain has imported, on any branch. */
export interface BlockRecord {
  readonly root: RootHex
  readonly block: fulu.SignedBeaconBlock
  /** Whether it is on the branch of the head. */
  readonly canonical: boolean
  readonly validity: Validity
  readonly finalized: boolean
}

/** A state with its metadata. */
export interface StateRecord {
  readonly state: CachedBeaconStateFulu
  readonly executionOptimistic: boolean
  readonly finalized: boolean
}

/** One entry of the fork choice store. */
export interface ForkChoiceEntry {
  readonly slot: Slot
  readonly blockRoot: RootHex
  readonly parentRoot: RootHex
  readonly stateRoot: RootHex
  readonly targetRoot: RootHex
  readonly justifiedEpoch: Epoch
  readonly finalizedEpoch: Epoch
  readonly unrealizedJustifiedEpoch: Epoch
  readonly unrealizedFinalizedEpoch: Epoch
  /** In Gwei. */
  readonly weight: bigint
  readonly validity: Validity
  readonly executionBlockHash: RootHex
  readonly bestChild: RootHex | undefined
  readonly bestDescendant: RootHex | undefined
}

/** The input of the head selection. */
export interface ForkChoiceView {
  readonly justified: phase0.Checkpoint
  readonly finalized: phase0.Checkpoint
  /** The block that has the proposer boost; the zero root when no block has it. */
  readonly proposerBoostRoot: RootHex
  /** Ordered by slot, parents before children. */
  readonly entries: readonly ForkChoiceEntry[]
}

/** Operations that wait for inclusion in a block or an aggregate. */
export interface OperationPool<item, pooled = item> {
  /**
   * Verifies an operation by the gossip rules and adds it.
   *
   * @throws Refused with the reason when it is not acceptable.
   */
  add(item: item): void
  all(): readonly pooled[]
}

/** Messages that are merged into others on arrival; they cannot be read individually. */
export type MessageIntake<item> = Pick<OperationPool<item>, 'add'>

/** All pools of the chain. */
export interface OperationPools {
  readonly attestations: OperationPool<electra.SingleAttestation, electra.Attestation>
  readonly aggregates: MessageIntake<electra.SignedAggregateAndProof>
  readonly syncCommitteeMessages: MessageIntake<altair.SyncCommitteeMessage>
  readonly contributions: MessageIntake<altair.SignedContributionAndProof>
  readonly voluntaryExits: OperationPool<phase0.SignedVoluntaryExit>
  readonly proposerSlashings: OperationPool<phase0.ProposerSlashing>
  readonly attesterSlashings: OperationPool<electra.AttesterSlashing>
  readonly blsToExecutionChanges: OperationPool<capella.SignedBLSToExecutionChange>
}

/** The light client data of the chain; every getter returns `undefined` for data that is not available. */
export interface LightClientData {
  bootstrap(blockRoot: RootHex): electra.LightClientBootstrap | undefined
  /** Returns the best update of each sync committee period from `startPeriod` on, at most `count`, without gaps. */
  updates(startPeriod: number, count: number): readonly electra.LightClientUpdate[]
  finalityUpdate(): electra.LightClientFinalityUpdate | undefined
  optimisticUpdate(): electra.LightClientOptimisticUpdate | undefined
}

/** The parameters of a block request. */
export interface ProduceBlockRequest {
  readonly slot: Slot
  readonly randaoReveal: Uint8Array
  /** 32 bytes. */
  readonly graffiti: Uint8Array
  readonly skipRandaoVerification: boolean
}

/** An unsigned block and its value for the proposer. */
export interface ProducedBlock {
  readonly block: fulu.BeaconBlock
  /** In Wei. */
  readonly consensusValue: bigint
  /** In Wei. */
  readonly executionValue: bigint
}

/** A beacon chain with all its validators, in this process. */
export interface BeaconChain {
  readonly config: BeaconConfig
  /** Unix time in seconds. */
  readonly genesisTime: number
  readonly currentSlot: Slot
  readonly head: BlockRecord

  /** Follows the clock; resolves when the chain stops following it. */
  start(): Promise<ClockEnd>
  /** Stops following the clock. */
  stop(): void

  /**
   * @param id `head`, `genesis`, `finalized`, a slot (the block of the canonical branch) or a block root.
   * @throws Refused for a malformed id, NotFound for an unknown block or an empty slot.
   */
  block(id: string | number): BlockRecord
  blocksAtSlot(slot: Slot): readonly BlockRecord[]
  blocksByParent(parentRoot: RootHex): readonly BlockRecord[]

  /**
   * @param id `head`, `genesis`, `finalized`, `justified`, a slot (of the canonical branch, up to the head's) or a
   * state root.
   * @returns The state; when the slot has no block, the state of the block before, advanced to the slot.
   * @throws Refused for a malformed id, NotFound for an unknown state or one older than the stored states.
   */
  state(id: string | number): StateRecord

  /**
   * @param epoch At most the current one.
   * @returns A state of this epoch on the branch of the head, advanced to the epoch when the head is older.
   * @throws NotFound when the epoch is older than the stored states, Refused when it is in the future.
   */
  stateForEpoch(epoch: Epoch): StateRecord

  forkChoice(): ForkChoiceView

  /**
   * Builds a block on the head.
   *
   * @throws Refused when the slot is not after the head's or is in the future, or when the RANDAO reveal is wrong.
   */
  produceBlock(request: ProduceBlockRequest): Promise<ProducedBlock>

  /**
   * Verifies a signed block completely and imports it; importing a known block again does nothing.
   *
   * @throws Refused with the rule that the block breaks.
   */
  importBlock(block: fulu.SignedBeaconBlock): Promise<void>

  /**
   * @returns The data that an attester of the slot votes for in the current state of the chain.
   * @throws Refused when the slot is in the future or before the epoch of the head.
   */
  attestationData(slot: Slot): phase0.AttestationData

  /** The largest aggregate of one committee that the pool can form from its votes. */
  aggregate(of: {
    readonly dataRoot: RootHex
    readonly slot: Slot
    readonly committeeIndex: number
  }): electra.Attestation | undefined

  syncCommitteeContribution(of: {
    readonly slot: Slot
    readonly subcommitteeIndex: number
    readonly blockRoot: RootHex
  }): altair.SyncCommitteeContribution | undefined

  readonly pools: OperationPools
  readonly lightClient: LightClientData

  /**
   * Whether the chain received a message of the validator in the epoch; available for the current epoch and the
   * adjacent ones.
   */
  isLive(epoch: Epoch, validator: ValidatorIndex): boolean

  /** Sets the fee recipient, 0x and 40 hex digits, of the payloads that the validator proposes. */
  prepareProposer(validator: ValidatorIndex, feeRecipient: string): void

  /**
   * @returns A function that ends the subscription.
   */
  subscribe(listener: (event: routes.events.BeaconEvent) => void): () => void
}
