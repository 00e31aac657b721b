import { ForkName, ForkSeq } from '@lodestar/params'
import {
  BeaconStateView,
  computeEpochAtSlot,
  computeStartSlotAtEpoch,
  DataAvailabilityStatus,
  ExecutionPayloadStatus,
  getAttesterSlashableIndices,
  getBlockRootAtSlot,
  stateTransition,
  type CachedBeaconStateFulu,
} from '@lodestar/state-transition'
import { ssz, type fulu, type phase0, type RootHex, type Slot } from '@lodestar/types'
import { toRootHex } from '@lodestar/utils'
import type { StoredBlock } from './block-store.ts'
import type { ChainParts } from './chain-parts.ts'
import type { CheckpointHex } from './fork-choice.ts'
import type { LightClientServer } from './light-client-data.ts'
import type { Pools } from './pools.ts'
import { Refused } from './refused.ts'
import { slotsBetweenTrees } from './state-store.ts'

// The states of the execution layer take little memory, while a search for unused states takes time.
const epochsBetweenSweeps = 16

/** How a block arrived. */
export interface Arrival {
  /** Whether it arrived before the attestations of its slot were due. */
  readonly timely: boolean
  /** The state that the block was built with; a locally built block need not be executed again. */
  readonly postState?: CachedBeaconStateFulu | undefined
}

/** Imports blocks and follows the head that the fork choice selects. */
export class BlockImport {
  readonly #parts: ChainParts
  readonly #pools: Pools
  readonly #lightClient: LightClientServer
  /** How many slots back blocks are stored. */
  readonly #maxSlots: number
  #finalizedEpoch = 0

  constructor(of: { parts: ChainParts; pools: Pools; lightClient: LightClientServer; maxSlots: number }) {
    this.#parts = of.parts
    this.#pools = of.pools
    this.#lightClient = of.lightClient
    this.#maxSlots = of.maxSlots
  }

  /**
   * Verifies a block and adds it; does nothing for a known block.
   *
   * @param signed The block.
   * @param arrival See {@link Arrival}.
   * @throws Refused with the rule that the block breaks.
   */
  async import(signed: fulu.SignedBeaconBlock, arrival: Arrival): Promise<void> {
    await this.#add(signed, arrival)
    await this.updateHead()
  }

  /**
   * Imports blocks that arrive together, parents first; the head is selected after all of them are imported.
   *
   * @param branch The blocks with the states that they were built with.
   * @throws Refused with the rule that one of them breaks.
   */
  async importBranch(
    branch: readonly { signed: fulu.SignedBeaconBlock; postState: CachedBeaconStateFulu }[],
  ): Promise<void> {
    for (const { signed, postState } of branch) await this.#add(signed, { timely: false, postState })
    await this.updateHead()
  }

  /** Selects a head by the fork choice, executes the payloads that the selection depends on, and follows the head. */
  async updateHead(): Promise<void> {
    const { forkChoice } = this.#parts
    let root = forkChoice.chooseHead()
    while (!(await this.#executeBranch(root))) root = forkChoice.chooseHead()
    if (root !== this.#parts.head.root) this.#follow(root)
    if (forkChoice.finalized.epoch > this.#finalizedEpoch) await this.#finalize()
  }

  async #add(signed: fulu.SignedBeaconBlock, arrival: Arrival): Promise<void> {
    const { blocks, states, forkChoice, events } = this.#parts
    const block = signed.message
    if (blocks.get(toRootHex(ssz.fulu.BeaconBlock.hashTreeRoot(block))) !== undefined) return
    this.#requireImportable(block)
    await this.#acceptPayload(block)
    const postState = arrival.postState ?? this.#transition(signed)
    const validity = await this.#executeNext(block)

    const stored = blocks.add(signed, validity)
    states.add(stored.root, postState)
    const unrealized = new BeaconStateView(postState).computeUnrealizedCheckpoints()
    forkChoice.onBlock(
      {
        ...stored,
        justified: toHex(postState.currentJustifiedCheckpoint),
        finalized: toHex(postState.finalizedCheckpoint),
        unrealizedJustified: toHex(unrealized.justifiedCheckpoint),
        unrealizedFinalized: toHex(unrealized.finalizedCheckpoint),
      },
      arrival.timely,
    )
    this.#recordVotes(block, postState)
    const seen = { slot: stored.slot, block: stored.root }
    events.emit('block_gossip', seen)
    events.emit('block', { ...seen, executionOptimistic: validity === 'optimistic' })
  }

  #requireImportable(block: fulu.BeaconBlock): void {
    const { blocks, forkChoice } = this.#parts
    const { slot, proposerIndex } = block
    if (slot > forkChoice.currentSlot) throw new Refused('The slot of the block is in the future.')
    if (slot <= computeStartSlotAtEpoch(forkChoice.finalized.epoch)) {
      throw new Refused('The block is not newer than the finalized checkpoint.')
    }
    const parentRoot = toRootHex(block.parentRoot)
    const parent = forkChoice.get(parentRoot)
    if (parent === undefined) {
      throw new Refused('The parent of the block is unknown, or not a descendant of the finalized block.')
    }
    if (parent.validity === 'invalid') throw new Refused('The payload of the parent is invalid.')
    if (forkChoice.checkpointBlock(parentRoot, forkChoice.finalized.epoch) !== forkChoice.finalized.root) {
      throw new Refused('The block does not descend from the finalized block.')
    }
    if (blocks.atSlot(slot).some((root) => blocks.get(root)?.proposerIndex === proposerIndex)) {
      throw new Refused('Another block of this proposer is known for the slot.')
    }
  }

  #transition(signed: fulu.SignedBeaconBlock): CachedBeaconStateFulu {
    const preState = this.#parts.states.after(toRootHex(signed.message.parentRoot))
    try {
      return stateTransition(preState, signed, {
        verifyStateRoot: true,
        verifyProposer: true,
        verifySignatures: true,
        // The payload is verified separately.
        executionPayloadStatus: ExecutionPayloadStatus.valid,
        dataAvailabilityStatus: DataAvailabilityStatus.Available,
      }) as CachedBeaconStateFulu
    } catch (error) {
      throw new Refused(`The block is not valid: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  async #acceptPayload(block: fulu.BeaconBlock): Promise<void> {
    const { executionPayload: payload, executionRequests, blobKzgCommitments } = block.body
    if (payload.transactions.length > 0 || blobKzgCommitments.length > 0) {
      throw new Refused('This chain accepts neither transactions nor blobs.')
    }
    try {
      const { parentRoot: parentBeaconBlockRoot } = block
      await this.#parts.execution.accept({ payload, parentBeaconBlockRoot, executionRequests })
    } catch {
      throw new Refused('The payload does not have the hash that it claims.')
    }
  }

  // An execution client executes payloads that extend its head, and defers the others until they are needed.
  async #executeNext(block: fulu.BeaconBlock): Promise<'valid' | 'optimistic'> {
    const { execution, head } = this.#parts
    if (toRootHex(block.parentRoot) !== head.root) return 'optimistic'
    if (await execution.execute(toRootHex(block.body.executionPayload.blockHash))) return 'valid'
    throw new Refused('The payload is invalid.')
  }

  #recordVotes(block: fulu.BeaconBlock, state: CachedBeaconStateFulu): void {
    const { forkChoice, liveness } = this.#parts
    liveness.record(computeEpochAtSlot(block.slot), [block.proposerIndex])
    for (const attestation of block.body.attestations) {
      const { data } = attestation
      const attesters = state.epochCtx.getAttestingIndices(ForkSeq.fulu, attestation)
      liveness.record(data.target.epoch, attesters)
      const blockRoot = toRootHex(data.beaconBlockRoot)
      if (forkChoice.checkpointBlock(blockRoot, data.target.epoch) !== toRootHex(data.target.root)) continue
      forkChoice.onAttestation(attesters, { slot: data.slot, targetEpoch: data.target.epoch, blockRoot })
    }
    for (const slashing of block.body.attesterSlashings) {
      forkChoice.onEquivocation(getAttesterSlashableIndices(slashing))
    }
  }

  // Returns false when a payload is found invalid, so that another head must be selected.
  async #executeBranch(root: RootHex): Promise<boolean> {
    const { forkChoice, execution } = this.#parts
    const waiting = []
    for (let node = forkChoice.get(root); node?.validity === 'optimistic';) {
      waiting.push(node)
      node = forkChoice.get(node.parentRoot)
    }
    for (const node of waiting.toReversed()) {
      const isValid = await execution.execute(node.executionBlockHash)
      forkChoice.setValidity(node.root, isValid ? 'valid' : 'invalid')
      if (!isValid) return false
    }
    return true
  }

  #follow(root: RootHex): void {
    const { blocks, events } = this.#parts
    const former = this.#parts.head
    const head = blocks.get(root)
    if (head === undefined) throw new Error(`The head ${root} is not in the store.`)
    const common = blocks.setHead(root, former.slot)
    this.#parts.head = head
    const epoch = computeEpochAtSlot(head.slot)
    const dependentRoot = this.#dependentRootsOf(head)
    const event = {
      slot: head.slot,
      block: head.root,
      state: head.stateRoot,
      epochTransition: epoch > computeEpochAtSlot(former.slot),
      executionOptimistic: false,
    }
    events.emit('head', {
      ...event,
      previousDutyDependentRoot: dependentRoot(epoch - 1),
      currentDutyDependentRoot: dependentRoot(epoch),
    })
    events.emit('head_v2', {
      version: ForkName.fulu,
      data: {
        ...event,
        payloadStatus: 'full',
        currentEpochDependentRoot: dependentRoot(epoch - 1),
        nextEpochDependentRoot: dependentRoot(epoch),
      },
    })
    if (common.root !== former.root) {
      events.emit('chain_reorg', {
        slot: head.slot,
        depth: former.slot - common.slot,
        oldHeadBlock: former.root,
        newHeadBlock: head.root,
        oldHeadState: former.stateRoot,
        newHeadState: head.stateRoot,
        epoch,
        executionOptimistic: false,
      })
      for (let orphan = former; orphan.root !== common.root; orphan = this.#parentOf(orphan)) {
        this.#pools.restore(blocks.content(orphan.root).message.body)
      }
    }
    this.#pools.prune()
    this.#lightClient.onHead(blocks.content(root).message)
  }

  #dependentRootsOf(head: StoredBlock): (epoch: number) => RootHex {
    const { states, blocks } = this.#parts
    const state = states.after(head.root)
    return (epoch) => {
      const slot: Slot = computeStartSlotAtEpoch(epoch) - 1
      return slot < 0 ? blocks.genesis.root : toRootHex(getBlockRootAtSlot(state, slot))
    }
  }

  #parentOf(block: StoredBlock): StoredBlock {
    const parent = this.#parts.blocks.get(block.parentRoot)
    if (parent === undefined) throw new Error(`The parent of block ${block.root} is not in the store.`)
    return parent
  }

  async #finalize(): Promise<void> {
    const { forkChoice, blocks, states, execution, events } = this.#parts
    const { epoch, root } = forkChoice.finalized
    this.#finalizedEpoch = epoch
    const finalized = blocks.get(root)
    if (finalized === undefined) throw new Error(`The finalized block ${root} is not in the store.`)
    events.emit('finalized_checkpoint', {
      block: root,
      state: finalized.stateRoot,
      epoch,
      executionOptimistic: false,
    })
    for (const node of forkChoice.prune()) blocks.setValidity(node.root, node.validity)
    const { currentSlot } = forkChoice
    // After a long pause even the finalized block is old.
    const wanted = Math.min(currentSlot - this.#maxSlots, finalized.slot)
    const oldestSlot = wanted - (wanted % slotsBetweenTrees)
    states.prune(finalized.slot, oldestSlot)
    blocks.prune(currentSlot, oldestSlot)
    if (epoch % epochsBetweenSweeps === 0) {
      await execution.prune(new Set(forkChoice.nodes().map((node) => node.executionBlockHash)))
    }
  }
}

function toHex({ epoch, root }: phase0.Checkpoint): CheckpointHex {
  return { epoch, root: toRootHex(root) }
}
