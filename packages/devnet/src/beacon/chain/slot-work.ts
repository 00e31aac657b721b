import { ForkName, SLOTS_PER_EPOCH, SYNC_COMMITTEE_SUBNET_COUNT } from '@lodestar/params'
import { computeEpochAtSlot, processSlots, type CachedBeaconStateFulu } from '@lodestar/state-transition'
import { ssz, type electra, type fulu, type phase0, type RootHex, type Slot } from '@lodestar/types'
import { fromHex, toRootHex } from '@lodestar/utils'
import { attestationDataFor } from './attest.ts'
import type { CommitteeVotes } from './attestation-pool.ts'
import type { BlockImport } from './block-import.ts'
import type { BlockProducer, BuiltBlock } from './block-producer.ts'
import type { ChainParts } from './chain-parts.ts'
import { subcommitteeMembers } from './gossip-rules.ts'
import type { Pools } from './pools.ts'
import type { SlotPlan } from './slot-schedule.ts'
import { chooseRemoteValidators, ForkSimulation } from './fork-simulation.ts'
import type { SyncCommitteePool } from './sync-committee-pool.ts'
import type { ValidatorKeys } from './validator-keys.ts'

/** The phases of a slot, in their order; each begins a third of a slot after the previous one. */
export const slotPhases = ['propose', 'attest', 'aggregate'] as const

/** A phase of a slot. */
export type SlotPhase = (typeof slotPhases)[number]

interface SignedAndBuilt {
  readonly signed: fulu.SignedBeaconBlock
  readonly postState: CachedBeaconStateFulu
}

const graffiti = new Uint8Array(Buffer.from('fairlead devnet'.padEnd(32, '\0')))

/** Performs the duties of all validators, slot by slot. */
export class SlotWork {
  readonly #parts: ChainParts
  readonly #pools: Pools
  readonly #imports: BlockImport
  readonly #producer: BlockProducer
  readonly #keys: ValidatorKeys
  readonly #plan: (slot: Slot) => SlotPlan
  #split: ForkSimulation | undefined
  #delayedBlock: SignedAndBuilt | undefined
  /** The last block that arrived late. */
  #delayedRoot: RootHex | undefined

  constructor(of: {
    parts: ChainParts
    pools: Pools
    imports: BlockImport
    producer: BlockProducer
    keys: ValidatorKeys
    plan: (slot: Slot) => SlotPlan
  }) {
    this.#parts = of.parts
    this.#pools = of.pools
    this.#imports = of.imports
    this.#producer = of.producer
    this.#keys = of.keys
    this.#plan = of.plan
  }

  /** Begins a slot: advances the time, and ends a split that has reached its last slot. */
  async begin(slot: Slot): Promise<void> {
    this.#parts.forkChoice.onTick(slot)
    this.#parts.liveness.prune(computeEpochAtSlot(slot))
    if (this.#plan(slot).split === undefined) await this.#endSplit()
    await this.#imports.updateHead()
  }

  /** Proposes the block of the slot. */
  async propose(slot: Slot): Promise<void> {
    const { blocks, head } = this.#parts
    const plan = this.#plan(slot)
    // The keys of the proposers are public; a client that used them earlier has already filled the slot.
    if (slot <= head.slot || blocks.atSlot(slot).length > 0) return
    if (plan.split !== undefined && this.#split === undefined)
      this.#beginSplit(slot, plan.split.remoteEighths)
    if (this.#split !== undefined && plan.split?.proposer === 'remote') {
      await this.#proposeOnRemoteSide(slot, this.#split, plan.split.isFaulty)
      return
    }
    const parentRoot = this.#parentFor(slot)
    const state = this.#parts.states.advanced(parentRoot, slot)
    const built = await this.#build({ slot, parentRoot, state, pools: this.#pools })
    if (built === undefined) return
    if (plan.isDelayed) this.#delayedBlock = built
    else await this.#imports.import(built.signed, { timely: true, postState: built.postState })
  }

  /** Publishes the votes of the attesters and the sync committee; a late block follows them. */
  async attest(slot: Slot): Promise<void> {
    const { head, forkChoice } = this.#parts
    const split = this.#split
    const headRoot = forkChoice.ancestorAt(head.root, slot) ?? head.root
    const { data, state } = attestationDataFor(this.#parts, headRoot, slot)
    this.#attestCommittees(state, data, split)
    this.#signSyncCommittee(state, slot, headRoot, split)
    if (this.#delayedBlock === undefined) return
    const { signed, postState } = this.#delayedBlock
    this.#delayedBlock = undefined
    this.#delayedRoot = toRootHex(ssz.fulu.BeaconBlock.hashTreeRoot(signed.message))
    await this.#imports.import(signed, { timely: false, postState })
  }

  /** Publishes aggregates and prepares the next slot. */
  aggregate(slot: Slot): void {
    const { events, states } = this.#parts
    if (!events.hasListeners) return
    this.#publishAggregates(slot)
    const parentRoot = this.#parentFor(slot + 1)
    const state = states.advanced(parentRoot, slot + 1)
    const { withdrawals, ...attributes } = this.#producer.attributes(state, parentRoot)
    events.emit('payload_attributes', {
      version: ForkName.fulu,
      data: {
        proposerIndex: state.epochCtx.getBeaconProposer(slot + 1),
        proposalSlot: slot + 1,
        parentBlockNumber: state.latestExecutionPayloadHeader.blockNumber,
        parentBlockRoot: fromHex(parentRoot),
        parentBlockHash: state.latestExecutionPayloadHeader.blockHash,
        payloadAttributes: { ...attributes, withdrawals: [...withdrawals] },
      },
    })
  }

  // A proposer does not build on a head that arrived late and has no votes (`get_proposer_head`).
  #parentFor(slot: Slot): RootHex {
    const { head } = this.#parts
    const isReplaced =
      head.root === this.#delayedRoot && head.slot === slot - 1 && slot % SLOTS_PER_EPOCH !== 0
    return isReplaced ? head.parentRoot : head.root
  }

  async #build(request: {
    slot: Slot
    parentRoot: RootHex
    state: CachedBeaconStateFulu
    pools: { votes: Pools['votes']; syncCommittee: SyncCommitteePool }
    isFaulty?: boolean
  }): Promise<SignedAndBuilt | undefined> {
    const { slot, state } = request
    const { config } = this.#parts
    const proposer = state.epochCtx.getBeaconProposer(slot)
    // Validators reject blocks of a slashed proposer.
    if (state.validators.getReadonly(proposer).slashed) return undefined
    const randaoReveal = this.#keys.randaoReveal(config, slot, proposer)
    const built: BuiltBlock = await this.#producer.build({ ...request, randaoReveal, graffiti })
    const signature = this.#keys.signBlock(config, built.block)
    return { signed: { message: built.block, signature }, postState: built.postState }
  }

  #beginSplit(slot: Slot, remoteEighths: number): void {
    const { head, states } = this.#parts
    const remote = chooseRemoteValidators(states.advanced(head.root, slot), slot, remoteEighths)
    this.#split = new ForkSimulation({ remote, baseRoot: head.root })
    for (const votes of this.#pools.votes.votes()) this.#split.votes.add(votes)
    for (const votes of this.#pools.syncCommittee.votes()) this.#split.syncCommittee.add(votes)
  }

  async #proposeOnRemoteSide(slot: Slot, split: ForkSimulation, isFaulty: boolean): Promise<void> {
    const { states } = this.#parts
    const parentRoot = split.tipRoot
    const tipState = split.tipState ?? states.after(split.baseRoot)
    const state = processSlots(tipState, slot) as CachedBeaconStateFulu
    const built = await this.#build({ slot, parentRoot, state, pools: split, isFaulty })
    if (built === undefined) return
    const root = toRootHex(ssz.fulu.BeaconBlock.hashTreeRoot(built.signed.message))
    split.blocks.push({ ...built, root })
    // Their execution clients detect the fault immediately, so no validator on that side votes for the block.
    if (!isFaulty) split.tipRoot = root
  }

  async #endSplit(): Promise<void> {
    const split = this.#split
    if (split === undefined) return
    this.#split = undefined
    for (const { votes, attesters } of split.publishedVotes) this.#pools.addVotes(votes, attesters)
    await this.#imports.importBranch(split.blocks)
    for (const votes of split.syncCommittee.votes()) this.#pools.syncCommittee.add(votes)
  }

  #attestCommittees(
    state: CachedBeaconStateFulu,
    data: phase0.AttestationData,
    split: ForkSimulation | undefined,
  ): void {
    const { epochCtx } = state
    const count = epochCtx.getCommitteeCountPerSlot(data.target.epoch)
    for (let committeeIndex = 0; committeeIndex < count; committeeIndex++) {
      const committee = Array.from(epochCtx.getBeaconCommittee(data.slot, committeeIndex))
      const local = committee.filter((member) => !(split?.remote.has(member) ?? false))
      for (const group of this.#parts.events.hasListeners ? local.map((member) => [member]) : [local]) {
        if (group.length === 0) continue
        const votes = this.#sign(state, data, committeeIndex, committee, group)
        this.#pools.addVotes(votes, group)
        this.#emitSingleAttestation(votes, group)
      }
      if (split === undefined) continue
      const remote = committee.filter((member) => split.remote.has(member))
      if (remote.length === 0) continue
      // Cloned by the type: a spread would also copy the root that the library caches on the value.
      const remoteData = ssz.phase0.AttestationData.clone(data)
      remoteData.beaconBlockRoot = fromHex(split.tipRoot)
      const votes = this.#sign(state, remoteData, committeeIndex, committee, remote)
      split.votes.add(votes)
      split.publishedVotes.push({ votes, attesters: remote })
    }
  }

  #sign(
    state: CachedBeaconStateFulu,
    data: phase0.AttestationData,
    committeeIndex: number,
    committee: readonly number[],
    attesters: readonly number[],
  ): CommitteeVotes {
    return {
      data,
      committeeIndex,
      committeeSize: committee.length,
      positions: attesters.map((attester) => committee.indexOf(attester)),
      signature: this.#keys.signAttestation(this.#parts.config, data, attesters),
      decisionRoot: state.epochCtx.getShufflingDecisionRoot(data.target.epoch),
    }
  }

  #emitSingleAttestation(
    { data, committeeIndex, signature }: CommitteeVotes,
    group: readonly number[],
  ): void {
    const [attesterIndex] = group
    if (!this.#parts.events.hasListeners || attesterIndex === undefined) return
    const single: electra.SingleAttestation = { committeeIndex, attesterIndex, data, signature }
    this.#parts.events.emit('single_attestation', single)
  }

  #signSyncCommittee(
    state: CachedBeaconStateFulu,
    slot: Slot,
    headRoot: RootHex,
    split: ForkSimulation | undefined,
  ): void {
    const { config } = this.#parts
    for (let subcommitteeIndex = 0; subcommitteeIndex < SYNC_COMMITTEE_SUBNET_COUNT; subcommitteeIndex++) {
      const members = subcommitteeMembers(state, slot, subcommitteeIndex)
      const vote = (pool: SyncCommitteePool, blockRoot: RootHex, isOfSide: (member: number) => boolean) => {
        const positions = [...members.keys()].filter((position) => isOfSide(members[position] ?? -1))
        if (positions.length === 0) return
        const seats = positions.flatMap((position) => members[position] ?? [])
        const message = { slot, blockRoot: fromHex(blockRoot) }
        const signature = this.#keys.signSyncCommitteeMessage(config, message, seats)
        pool.add({ slot, blockRoot, subcommitteeIndex, positions, signature })
      }
      vote(this.#pools.syncCommittee, headRoot, (member) => !(split?.remote.has(member) ?? false))
      if (split !== undefined) vote(split.syncCommittee, split.tipRoot, (member) => split.remote.has(member))
    }
  }

  #publishAggregates(slot: Slot): void {
    const { config, events, head, states } = this.#parts
    for (const attestation of this.#pools.votes.all()) {
      if (attestation.data.slot === slot) events.emit('attestation', attestation)
    }
    const state = states.advanced(head.root, slot)
    for (let subcommitteeIndex = 0; subcommitteeIndex < SYNC_COMMITTEE_SUBNET_COUNT; subcommitteeIndex++) {
      const blockRoot = this.#parts.forkChoice.ancestorAt(this.#parentFor(slot + 1), slot) ?? head.root
      const contribution = this.#pools.syncCommittee.contribution({ slot, blockRoot, subcommitteeIndex })
      const [position = -1] = contribution?.aggregationBits.getTrueBitIndexes() ?? []
      const aggregator = subcommitteeMembers(state, slot, subcommitteeIndex)[position]
      if (contribution === undefined || aggregator === undefined) continue
      events.emit('contribution_and_proof', this.#keys.signContribution(config, contribution, aggregator))
    }
  }
}
