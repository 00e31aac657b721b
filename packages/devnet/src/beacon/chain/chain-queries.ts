import { computeEpochAtSlot, computeStartSlotAtEpoch } from '@lodestar/state-transition'
import type { Epoch, RootHex, Slot } from '@lodestar/types'
import { fromHex } from '@lodestar/utils'
import type { BlockRecord, ForkChoiceView, StateRecord } from './beacon-chain.ts'
import type { StoredBlock } from './block-store.ts'
import type { ChainParts } from './chain-parts.ts'
import type { CheckpointHex, ForkChoiceNode } from './fork-choice.ts'
import { NotFound } from './not-found.ts'
import { Refused } from './refused.ts'

const slotPattern = /^\d{1,15}$/
const rootPattern = /^0x[a-fA-F0-9]{64}$/

/** Reads blocks, states and the fork choice. */
export class ChainQueries {
  readonly #parts: ChainParts

  constructor(parts: ChainParts) {
    this.#parts = parts
  }

  head(): BlockRecord {
    return this.#record(this.#parts.head)
  }

  /** See `BeaconChain.block`. */
  block(id: string | number): BlockRecord {
    const { blocks, forkChoice, head } = this.#parts
    if (id === 'head') return this.#record(head)
    if (id === 'genesis') return this.#record(blocks.genesis)
    if (id === 'finalized') return this.#record(this.#require(forkChoice.finalized.root))
    const text = String(id)
    if (rootPattern.test(text)) return this.#record(this.#require(text.toLowerCase()))
    const root = blocks.canonicalAt(
      readSlot(text, 'A block id must be head, genesis, finalized, a slot or a root.'),
    )
    return this.#record(this.#require(root))
  }

  blocksAtSlot(slot: Slot): readonly BlockRecord[] {
    return this.#parts.blocks.atSlot(slot).map((root) => this.#record(this.#require(root)))
  }

  blocksByParent(parentRoot: RootHex): readonly BlockRecord[] {
    return this.#parts.blocks.byParent(parentRoot.toLowerCase()).map((block) => this.#record(block))
  }

  /** See `BeaconChain.state`. */
  state(id: string | number): StateRecord {
    const { blocks, forkChoice, head } = this.#parts
    if (id === 'head') return this.#stateAt(head, head.slot)
    if (id === 'genesis') return this.#stateAt(blocks.genesis, 0)
    if (id === 'finalized') return this.#checkpointState(forkChoice.finalized)
    if (id === 'justified') return this.#checkpointState(forkChoice.justified)
    const text = String(id)
    if (rootPattern.test(text)) {
      const block = blocks.byStateRoot(text.toLowerCase())
      if (block === undefined) throw new NotFound('There is no state with this root.')
      return this.#stateAt(block, block.slot)
    }
    const slot = readSlot(
      text,
      'A state id must be head, genesis, finalized, justified, a slot or a state root.',
    )
    if (slot > head.slot) throw new NotFound('The head has not reached this slot.')
    return this.#stateAt(this.#require(blocks.canonicalUpTo(slot)), slot)
  }

  /** See `BeaconChain.stateForEpoch`. */
  stateForEpoch(epoch: Epoch): StateRecord {
    const { blocks, forkChoice, head } = this.#parts
    if (epoch > computeEpochAtSlot(forkChoice.currentSlot)) throw new Refused('The epoch is in the future.')
    const start = computeStartSlotAtEpoch(epoch)
    if (epoch >= computeEpochAtSlot(head.slot)) return this.#stateAt(head, start)
    return this.#stateAt(this.#require(blocks.canonicalUpTo(start)), start)
  }

  /** See `BeaconChain.forkChoice`. */
  forkChoice(): ForkChoiceView {
    const { forkChoice } = this.#parts
    return {
      justified: fromHexRoot(forkChoice.justified),
      finalized: fromHexRoot(forkChoice.finalized),
      proposerBoostRoot: forkChoice.proposerBoostRoot,
      entries: forkChoice
        .nodes()
        .toSorted((a, b) => a.slot - b.slot)
        .map((node) => this.#entry(node)),
    }
  }

  #entry(node: ForkChoiceNode): ForkChoiceView['entries'][number] {
    const { forkChoice } = this.#parts
    return {
      slot: node.slot,
      blockRoot: node.root,
      parentRoot: node.parentRoot,
      stateRoot: node.stateRoot,
      // The first block of the tree may be the target of its epoch.
      targetRoot: forkChoice.checkpointBlock(node.root, computeEpochAtSlot(node.slot)) ?? node.root,
      justifiedEpoch: node.justified.epoch,
      finalizedEpoch: node.finalized.epoch,
      unrealizedJustifiedEpoch: node.unrealizedJustified.epoch,
      unrealizedFinalizedEpoch: node.unrealizedFinalized.epoch,
      weight: BigInt(node.weight),
      validity: node.validity,
      executionBlockHash: node.executionBlockHash,
      bestChild: node.bestChild,
      bestDescendant: node.bestDescendant,
    }
  }

  #record(block: StoredBlock): BlockRecord {
    const { blocks, forkChoice } = this.#parts
    const { root, slot } = block
    const canonical = blocks.isCanonical(root)
    return {
      root,
      block: blocks.content(root),
      canonical,
      validity: forkChoice.get(root)?.validity ?? block.validity,
      finalized: canonical && slot <= computeStartSlotAtEpoch(forkChoice.finalized.epoch),
    }
  }

  #stateAt(block: StoredBlock, slot: Slot): StateRecord {
    const { validity, finalized } = this.#record(block)
    return {
      state: this.#parts.states.advanced(block.root, slot),
      executionOptimistic: validity === 'optimistic',
      finalized: finalized && slot <= computeStartSlotAtEpoch(this.#parts.forkChoice.finalized.epoch),
    }
  }

  #checkpointState({ epoch, root }: CheckpointHex): StateRecord {
    return this.#stateAt(this.#require(root), computeStartSlotAtEpoch(epoch))
  }

  #require(root: RootHex | undefined): StoredBlock {
    const block = root === undefined ? undefined : this.#parts.blocks.get(root)
    if (block === undefined) throw new NotFound('The block does not exist, or is no longer stored.')
    return block
  }
}

function readSlot(text: string, message: string): Slot {
  if (!slotPattern.test(text)) throw new Refused(message)
  return Number(text)
}

function fromHexRoot({ epoch, root }: CheckpointHex): { epoch: Epoch; root: Uint8Array } {
  return { epoch, root: fromHex(root) }
}
