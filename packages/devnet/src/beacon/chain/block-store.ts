import { ssz, type fulu, type RootHex, type Slot, type ValidatorIndex } from '@lodestar/types'
import { toRootHex } from '@lodestar/utils'
import type { Validity } from './beacon-chain.ts'

/** A stored block. */
export interface StoredBlock {
  readonly root: RootHex
  readonly slot: Slot
  readonly proposerIndex: ValidatorIndex
  readonly parentRoot: RootHex
  readonly stateRoot: RootHex
  readonly executionBlockHash: RootHex
  /** The validity on arrival; for blocks that are still in the fork choice, the fork choice is authoritative. */
  validity: Validity
}

// Recent blocks are read frequently.
const maxDecodedBlocks = 64

/** Stores recent imported blocks of every branch, and the genesis block permanently. */
export class BlockStore {
  readonly genesis: StoredBlock
  readonly #blocks = new Map<RootHex, StoredBlock & { content: fulu.SignedBeaconBlock | Uint8Array }>()
  readonly #bySlot = new Map<Slot, RootHex[]>()
  readonly #byState = new Map<RootHex, RootHex>()
  readonly #canonical = new Map<Slot, RootHex>()
  #oldestSlot: Slot = 0

  /** @param genesis The genesis block and the hash of its execution block. */
  constructor(genesis: { block: fulu.SignedBeaconBlock; executionBlockHash: RootHex }) {
    this.genesis = this.add(genesis.block, 'valid', genesis.executionBlockHash)
    this.#canonical.set(this.genesis.slot, this.genesis.root)
  }

  add(block: fulu.SignedBeaconBlock, validity: Validity, executionBlockHash?: RootHex): StoredBlock {
    const { slot, proposerIndex, parentRoot, stateRoot, body } = block.message
    const stored = {
      root: toRootHex(ssz.fulu.BeaconBlock.hashTreeRoot(block.message)),
      slot,
      proposerIndex,
      parentRoot: toRootHex(parentRoot),
      stateRoot: toRootHex(stateRoot),
      executionBlockHash: executionBlockHash ?? toRootHex(body.executionPayload.blockHash),
      validity,
      content: block,
    }
    this.#blocks.set(stored.root, stored)
    this.#byState.set(stored.stateRoot, stored.root)
    this.#bySlot.set(slot, [...(this.#bySlot.get(slot) ?? []), stored.root])
    return stored
  }

  get(root: RootHex): StoredBlock | undefined {
    return this.#blocks.get(root)
  }

  /** Returns the signed block; the store must contain the root. */
  content(root: RootHex): fulu.SignedBeaconBlock {
    const content = this.#blocks.get(root)?.content
    if (content === undefined) throw new Error(`Block ${root} is not in the store.`)
    return content instanceof Uint8Array ? ssz.fulu.SignedBeaconBlock.deserialize(content) : content
  }

  atSlot(slot: Slot): readonly RootHex[] {
    return this.#bySlot.get(slot) ?? []
  }

  byStateRoot(stateRoot: RootHex): StoredBlock | undefined {
    const root = this.#byState.get(stateRoot)
    return root === undefined ? undefined : this.#blocks.get(root)
  }

  byParent(parentRoot: RootHex): readonly StoredBlock[] {
    return [...this.#blocks.values()].filter((block) => block.parentRoot === parentRoot && block.slot > 0)
  }

  /** The block of the canonical branch at a slot; `undefined` when the slot is empty. */
  canonicalAt(slot: Slot): RootHex | undefined {
    return this.#canonical.get(slot)
  }

  /** The block of the canonical branch at a slot, or the last one before it. */
  canonicalUpTo(slot: Slot): RootHex | undefined {
    for (let at = slot; at >= this.#oldestSlot; at--) {
      const root = this.#canonical.get(at)
      if (root !== undefined) return root
    }
    return slot === this.genesis.slot ? this.genesis.root : undefined
  }

  isCanonical(root: RootHex): boolean {
    const block = this.#blocks.get(root)
    return block !== undefined && this.#canonical.get(block.slot) === root
  }

  /**
   * Makes the branch of a block the canonical one.
   *
   * @param head Root of the new head.
   * @param formerSlot Slot of the former head.
   * @returns The latest common ancestor of both branches.
   */
  setHead(head: RootHex, formerSlot: Slot): StoredBlock {
    let block = this.#require(head)
    for (let slot = block.slot + 1; slot <= formerSlot; slot++) this.#canonical.delete(slot)
    while (!this.isCanonical(block.root)) {
      const parent = this.#require(block.parentRoot)
      this.#canonical.set(block.slot, block.root)
      for (let slot = parent.slot + 1; slot < block.slot; slot++) this.#canonical.delete(slot)
      block = parent
    }
    return block
  }

  /**
   * Removes old blocks and serializes those that are not recent.
   *
   * @param currentSlot The current slot.
   * @param oldestSlot The first slot to retain.
   */
  prune(currentSlot: Slot, oldestSlot: Slot): void {
    this.#oldestSlot = Math.max(0, oldestSlot)
    for (const [slot, roots] of this.#bySlot) {
      if (slot > currentSlot - maxDecodedBlocks) continue
      if (slot < oldestSlot && slot > this.genesis.slot) this.#remove(slot, roots)
      else for (const root of roots) this.#pack(root)
    }
  }

  /** Stores the validity of a block that leaves the fork choice. */
  setValidity(root: RootHex, validity: Validity): void {
    const block = this.#blocks.get(root)
    if (block !== undefined) block.validity = validity
  }

  /** Number of stored blocks. */
  get size(): number {
    return this.#blocks.size
  }

  #pack(root: RootHex): void {
    const block = this.#blocks.get(root)
    if (block === undefined || block.content instanceof Uint8Array) return
    block.content = ssz.fulu.SignedBeaconBlock.serialize(block.content)
  }

  #remove(slot: Slot, roots: readonly RootHex[]): void {
    for (const root of roots) {
      const block = this.#blocks.get(root)
      if (block !== undefined) this.#byState.delete(block.stateRoot)
      this.#blocks.delete(root)
    }
    this.#bySlot.delete(slot)
    this.#canonical.delete(slot)
  }

  #require(root: RootHex): StoredBlock {
    const block = this.#blocks.get(root)
    if (block === undefined) throw new Error(`Block ${root} is not in the store.`)
    return block
  }
}
