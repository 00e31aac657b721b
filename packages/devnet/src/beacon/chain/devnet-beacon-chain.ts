import type { BeaconConfig } from '@lodestar/config'
import { computeEpochAtSlot, G2_POINT_AT_INFINITY, verifyRandaoSignature } from '@lodestar/state-transition'
import {
  ssz,
  type altair,
  type electra,
  type Epoch,
  type fulu,
  type phase0,
  type RootHex,
  type Slot,
} from '@lodestar/types'
import { attestationDataFor } from './attest.ts'
import type {
  BeaconChain,
  BlockRecord,
  ClockEnd,
  ForkChoiceView,
  LightClientData,
  OperationPools,
  ProduceBlockRequest,
  ProducedBlock,
  StateRecord,
} from './beacon-chain.ts'
import type { BlockImport } from './block-import.ts'
import type { BlockProducer } from './block-producer.ts'
import type { ChainParts } from './chain-parts.ts'
import { ChainQueries } from './chain-queries.ts'
import type { Pools } from './pools.ts'
import { Refused } from './refused.ts'
import { followClock } from './slot-clock.ts'
import { slotPhases, type SlotPhase, type SlotWork } from './slot-work.ts'

/** The components of the chain. */
export interface DevnetBeaconChainOptions {
  readonly parts: ChainParts
  readonly pools: Pools
  readonly lightClient: LightClientData
  readonly imports: BlockImport
  readonly producer: BlockProducer
  readonly work: SlotWork
  /** Unix time in seconds. */
  readonly genesisTime: number
  readonly onFault: (error: unknown) => void
}

/** The public interface of the chain; changes run one after the other. */
export class DevnetBeaconChain implements BeaconChain {
  readonly config: BeaconConfig
  readonly genesisTime: number
  readonly pools: OperationPools
  readonly lightClient: LightClientData
  readonly #pools: Pools
  readonly #parts: ChainParts
  readonly #queries: ChainQueries
  readonly #imports: BlockImport
  readonly #producer: BlockProducer
  readonly #work: SlotWork
  readonly #onFault: (error: unknown) => void
  readonly #stopping = new AbortController()
  #phase: SlotPhase = 'aggregate'
  #last: Promise<unknown> = Promise.resolve()
  // Blocks of the next slot that arrived before it began.
  #early: (() => void)[] = []

  constructor(options: DevnetBeaconChainOptions) {
    this.config = options.parts.config
    this.genesisTime = options.genesisTime
    this.pools = options.pools
    this.lightClient = options.lightClient
    this.#pools = options.pools
    this.#parts = options.parts
    this.#queries = new ChainQueries(options.parts)
    this.#imports = options.imports
    this.#producer = options.producer
    this.#work = options.work
    this.#onFault = options.onFault
  }

  get currentSlot(): Slot {
    return this.#parts.forkChoice.currentSlot
  }

  get head(): BlockRecord {
    return this.#queries.head()
  }

  start(): Promise<ClockEnd> {
    const options = {
      genesisTimeMs: this.genesisTime * 1_000,
      slotMs: this.config.SLOT_DURATION_MS,
      firstSlot: this.currentSlot + 1,
      onPhase: (slot: Slot, phase: SlotPhase) => this.runPhase(slot, phase),
      onFault: this.#onFault,
    }
    return followClock(options, this.#stopping.signal)
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Does the work of a whole slot immediately, independent of the clock; skipped slots stay empty. */
  async runSlot(slot: Slot): Promise<void> {
    for (const phase of slotPhases) await this.runPhase(slot, phase)
  }

  /** Does the work of one phase immediately, independent of the clock. */
  async runPhase(slot: Slot, phase: SlotPhase): Promise<void> {
    if (phase === 'propose') {
      await this.#serially(async () => {
        this.#phase = phase
        await this.#work.begin(slot)
      })
      for (const resume of this.#early.splice(0)) resume()
      // Callers that waited for the slot run first.
      await new Promise(setImmediate)
    }
    await this.#serially(async () => {
      this.#phase = phase
      await this.#work[phase](slot)
    })
  }

  block(id: string | number): BlockRecord {
    return this.#queries.block(id)
  }

  blocksAtSlot(slot: Slot): readonly BlockRecord[] {
    return this.#queries.blocksAtSlot(slot)
  }

  blocksByParent(parentRoot: RootHex): readonly BlockRecord[] {
    return this.#queries.blocksByParent(parentRoot)
  }

  state(id: string | number): StateRecord {
    return this.#queries.state(id)
  }

  stateForEpoch(epoch: Epoch): StateRecord {
    return this.#queries.stateForEpoch(epoch)
  }

  forkChoice(): ForkChoiceView {
    return this.#queries.forkChoice()
  }

  produceBlock(request: ProduceBlockRequest): Promise<ProducedBlock> {
    return this.#serially(async () => {
      const { slot, randaoReveal, graffiti, skipRandaoVerification } = request
      const { head, states, config } = this.#parts
      if (slot <= head.slot) throw new Refused('The slot must be after the slot of the head.')
      if (slot > this.currentSlot + 1) throw new Refused('The slot must be the current one or the next one.')
      const state = states.advanced(head.root, slot)
      const parentRoot = head.root
      const proposerIndex = state.epochCtx.getBeaconProposer(slot)
      if (state.validators.getReadonly(proposerIndex).slashed) {
        throw new Refused('The proposer of the slot is slashed.')
      }
      if (skipRandaoVerification && !ssz.BLSSignature.equals(randaoReveal, G2_POINT_AT_INFINITY)) {
        throw new Refused('With skip_randao_verification randao_reveal must be the point at infinity.')
      }
      if (!skipRandaoVerification) {
        const block = ssz.fulu.BeaconBlock.defaultValue()
        block.slot = slot
        block.proposerIndex = proposerIndex
        block.body.randaoReveal = randaoReveal
        if (!isSigned(() => verifyRandaoSignature(config, state.epochCtx.pubkeyCache, block))) {
          throw new Refused('randao_reveal is not the signature of the proposer of the slot.')
        }
      }
      const built = await this.#producer.build({
        slot,
        parentRoot,
        state,
        randaoReveal,
        graffiti,
        pools: this.#pools,
      })
      // Without transactions there are no fees for the fee recipient.
      return { block: built.block, consensusValue: built.consensusValue, executionValue: 0n }
    })
  }

  async importBlock(signed: fulu.SignedBeaconBlock): Promise<void> {
    // A block of the next slot waits for that slot, so that its proposer need not send it at the exact start of the
    // slot.
    if (signed.message.slot === this.currentSlot + 1) {
      await new Promise<void>((resolve) => {
        this.#early.push(resolve)
      })
    }
    await this.#serially(() => this.#imports.import(signed, { timely: this.#phase === 'propose' }))
  }

  attestationData(slot: Slot): phase0.AttestationData {
    const { head, forkChoice } = this.#parts
    if (slot > this.currentSlot) throw new Refused('The slot is in the future.')
    if (computeEpochAtSlot(slot) < computeEpochAtSlot(this.currentSlot) - 1) {
      throw new Refused('The slot is before the previous epoch.')
    }
    const blockRoot = forkChoice.ancestorAt(head.root, slot)
    if (blockRoot === undefined) throw new Refused('The slot is before the finalized block.')
    return attestationDataFor(this.#parts, blockRoot, slot).data
  }

  aggregate(of: { dataRoot: RootHex; slot: Slot; committeeIndex: number }): electra.Attestation | undefined {
    const attestation = this.#pools.votes.aggregate(of.dataRoot, of.committeeIndex)
    return attestation?.data.slot === of.slot ? attestation : undefined
  }

  syncCommitteeContribution(of: {
    slot: Slot
    subcommitteeIndex: number
    blockRoot: RootHex
  }): altair.SyncCommitteeContribution | undefined {
    return this.#pools.syncCommittee.contribution(of)
  }

  isLive(epoch: Epoch, validator: number): boolean {
    return this.#parts.liveness.isLive(epoch, validator)
  }

  prepareProposer(validator: number, feeRecipient: string): void {
    this.#producer.prepare(validator, feeRecipient)
  }

  subscribe(listener: Parameters<BeaconChain['subscribe']>[0]): () => void {
    return this.#parts.events.subscribe(listener)
  }

  /** Number of stored objects of each kind. */
  get size() {
    const { blocks, states, forkChoice, execution } = this.#parts
    return {
      blocks: blocks.size,
      states: states.size.states,
      trees: states.size.trees,
      forkChoiceNodes: forkChoice.nodes().length,
      votes: this.#pools.votes.size,
      syncCommitteeSlots: this.#pools.syncCommittee.size,
      executionBlocks: execution.size.blocks,
      executionNodes: execution.size.nodes,
    }
  }

  #serially<result>(work: () => Promise<result>): Promise<result> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }
}

// The library throws on bytes that are not a point on the curve.
function isSigned(verify: () => boolean): boolean {
  try {
    return verify()
  } catch {
    return false
  }
}
