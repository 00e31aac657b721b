import { Tree } from '@chainsafe/persistent-merkle-tree'
import type { BeaconConfig } from '@lodestar/config'
import {
  BLOCK_BODY_EXECUTION_PAYLOAD_GINDEX,
  CURRENT_SYNC_COMMITTEE_GINDEX_ELECTRA,
  FINALIZED_ROOT_GINDEX_ELECTRA,
  ForkName,
  ForkSeq,
  MAX_REQUEST_LIGHT_CLIENT_UPDATES,
  NEXT_SYNC_COMMITTEE_GINDEX_ELECTRA,
} from '@lodestar/params'
import {
  blockToHeader,
  computeSyncPeriodAtSlot,
  executionPayloadToPayloadHeader,
  type CachedBeaconStateFulu,
} from '@lodestar/state-transition'
import { isBetterUpdate, toLightClientUpdateSummary } from '@lodestar/state-transition/light-client'
import { ssz, type deneb, type electra, type fulu, type RootHex, type Slot } from '@lodestar/types'
import { toRootHex } from '@lodestar/utils'
import type { LightClientData } from './beacon-chain.ts'
import type { BlockStore } from './block-store.ts'
import type { ChainEvents } from './chain-events.ts'
import { NotFound } from './not-found.ts'
import type { StateStore } from './state-store.ts'

/**
 * Creates the light client data from the blocks of the canonical branch (consensus-specs, light-client/full-node.md).
 */
export class LightClientServer implements LightClientData {
  readonly #config: BeaconConfig
  readonly #blocks: BlockStore
  readonly #states: StateStore
  readonly #events: ChainEvents
  readonly #best = new Map<number, electra.LightClientUpdate>()
  // Shared by all updates of an epoch.
  #finalizedHeader: { readonly root: RootHex; readonly header: deneb.LightClientHeader } | undefined
  #finality: electra.LightClientFinalityUpdate | undefined
  #optimistic: electra.LightClientOptimisticUpdate | undefined

  constructor(of: { config: BeaconConfig; blocks: BlockStore; states: StateStore; events: ChainEvents }) {
    this.#config = of.config
    this.#blocks = of.blocks
    this.#states = of.states
    this.#events = of.events
  }

  bootstrap(blockRoot: RootHex): electra.LightClientBootstrap | undefined {
    const block = this.#blocks.get(blockRoot)
    if (block === undefined || !this.#blocks.isCanonical(blockRoot)) return undefined
    let state: CachedBeaconStateFulu
    try {
      state = this.#states.after(blockRoot)
    } catch (error) {
      if (error instanceof NotFound) return undefined
      throw error
    }
    return {
      header: this.#header(blockRoot),
      currentSyncCommittee: state.currentSyncCommittee.toValue(),
      currentSyncCommitteeBranch: proof(state, CURRENT_SYNC_COMMITTEE_GINDEX_ELECTRA),
    }
  }

  updates(startPeriod: number, count: number): readonly electra.LightClientUpdate[] {
    const periods = [...this.#best.keys()].filter(
      (period) => period >= startPeriod && period < startPeriod + count,
    )
    const [first] = periods
    return periods
      .filter((period, position) => first !== undefined && period === first + position)
      .flatMap((period) => this.#best.get(period) ?? [])
  }

  finalityUpdate(): electra.LightClientFinalityUpdate | undefined {
    return this.#finality
  }

  optimisticUpdate(): electra.LightClientOptimisticUpdate | undefined {
    return this.#optimistic
  }

  /** Creates updates from the sync aggregate of a new head, which signs its parent. */
  onHead(block: fulu.BeaconBlock): void {
    const { syncAggregate } = block.body
    const attestedRoot = toRootHex(block.parentRoot)
    const attested = this.#blocks.get(attestedRoot)
    // The genesis block has no payload to prove.
    if (attested === undefined || attested.slot === 0) return
    if (syncAggregate.syncCommitteeBits.getTrueBitIndexes().length === 0) return

    const state = this.#states.after(attestedRoot)
    const update = this.#update(state, attestedRoot, block)
    this.#storeIfBest(update)
    const { attestedHeader, finalizedHeader, finalityBranch, signatureSlot } = update
    if (slotOf(update) > slotOf(this.#optimistic)) {
      this.#optimistic = { attestedHeader, syncAggregate, signatureSlot }
      this.#events.emit('light_client_optimistic_update', { version: ForkName.fulu, data: this.#optimistic })
    }
    if (finalizedHeader.beacon.slot > 0 && slotOf(update) > slotOf(this.#finality)) {
      this.#finality = { attestedHeader, finalizedHeader, finalityBranch, syncAggregate, signatureSlot }
      this.#events.emit('light_client_finality_update', { version: ForkName.fulu, data: this.#finality })
    }
  }

  #update(
    state: CachedBeaconStateFulu,
    attestedRoot: RootHex,
    block: fulu.BeaconBlock,
  ): electra.LightClientUpdate {
    const update = ssz.electra.LightClientUpdate.defaultValue()
    update.attestedHeader = this.#header(attestedRoot)
    update.syncAggregate = block.body.syncAggregate
    update.signatureSlot = block.slot
    if (computeSyncPeriodAtSlot(block.slot) === computeSyncPeriodAtSlot(state.slot)) {
      update.nextSyncCommittee = state.nextSyncCommittee.toValue()
      update.nextSyncCommitteeBranch = proof(state, NEXT_SYNC_COMMITTEE_GINDEX_ELECTRA)
    }
    const finalized = this.#blocks.get(toRootHex(state.finalizedCheckpoint.root))
    if (finalized !== undefined && finalized.slot > 0) {
      if (this.#finalizedHeader?.root !== finalized.root) {
        this.#finalizedHeader = { root: finalized.root, header: this.#header(finalized.root) }
      }
      update.finalizedHeader = this.#finalizedHeader.header
      update.finalityBranch = proof(state, FINALIZED_ROOT_GINDEX_ELECTRA)
    }
    return update
  }

  #storeIfBest(update: electra.LightClientUpdate): void {
    const period = computeSyncPeriodAtSlot(slotOf(update))
    // Only a client that has the committee of the period can follow into the next one.
    if (computeSyncPeriodAtSlot(update.signatureSlot) !== period) return
    const best = this.#best.get(period)
    if (
      best === undefined ||
      isBetterUpdate(toLightClientUpdateSummary(update), toLightClientUpdateSummary(best))
    ) {
      this.#best.set(period, update)
    }
    this.#best.delete(period - MAX_REQUEST_LIGHT_CLIENT_UPDATES)
  }

  #header(blockRoot: RootHex): deneb.LightClientHeader {
    const { message } = this.#blocks.content(blockRoot)
    const body = ssz.fulu.BeaconBlockBody.toView(message.body)
    return {
      beacon: blockToHeader(this.#config, message),
      execution: executionPayloadToPayloadHeader(
        ForkSeq.fulu,
        message.body.executionPayload,
      ) as deneb.ExecutionPayloadHeader,
      executionBranch: new Tree(body.node).getSingleProof(BigInt(BLOCK_BODY_EXECUTION_PAYLOAD_GINDEX)),
    }
  }
}

function slotOf(update: { attestedHeader: deneb.LightClientHeader } | undefined): Slot {
  return update?.attestedHeader.beacon.slot ?? -1
}

function proof(state: CachedBeaconStateFulu, gindex: number): Uint8Array[] {
  return new Tree(state.node).getSingleProof(BigInt(gindex))
}
