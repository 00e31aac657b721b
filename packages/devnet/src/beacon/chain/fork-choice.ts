import type { Epoch, RootHex, Slot, ValidatorIndex } from '@lodestar/types'
import type { Validity } from './beacon-chain.ts'

/** A checkpoint with its root in hex. */
export interface CheckpointHex {
  readonly epoch: Epoch
  readonly root: RootHex
}

/** The fork choice data of a block. */
export interface ForkChoiceBlock {
  readonly slot: Slot
  readonly root: RootHex
  readonly parentRoot: RootHex
  readonly stateRoot: RootHex
  readonly executionBlockHash: RootHex
  /** The checkpoints of its post-state. */
  readonly justified: CheckpointHex
  readonly finalized: CheckpointHex
  /** The checkpoints that its post-state would have if the epoch ended now. */
  readonly unrealizedJustified: CheckpointHex
  readonly unrealizedFinalized: CheckpointHex
  readonly validity: Validity
}

/** A vote for a block (consensus-specs, LatestMessage). */
export interface Vote {
  readonly slot: Slot
  readonly targetEpoch: Epoch
  readonly blockRoot: RootHex
}

/** A block in the tree with the results of the last head selection. */
export interface ForkChoiceNode extends ForkChoiceBlock {
  validity: Validity
  /** Votes for the block and its descendants, in Gwei. */
  weight: number
  bestChild: RootHex | undefined
  bestDescendant: RootHex | undefined
}

/** The parameters of the fork choice rules. */
export interface ForkChoiceRules {
  readonly slotsPerEpoch: number
  /** Percentage of a slot's committees. */
  readonly proposerScoreBoost: number
  /**
   * The weights of the votes.
   *
   * @returns Effective balances in Gwei by validator index in the state of the justified checkpoint; 0 for a validator
   * that is not active or slashed.
   */
  readonly balancesAt: (justified: CheckpointHex) => readonly number[]
}

/** The root that stands for no block. */
export const zeroRoot: RootHex = `0x${'0'.repeat(64)}`

/**
 * The fork choice of the beacon chain: LMD-GHOST on the part of the block tree that Casper FFG leaves (consensus-specs,
 * phase0/fork-choice.md; `optimistic` and `invalid` as in sync/optimistic.md).
 *
 * Each head selection sums the weights in one pass from the leaves to the root, because the tree is small.
 */
export class ForkChoice {
  justified: CheckpointHex
  finalized: CheckpointHex
  proposerBoostRoot: RootHex = zeroRoot
  currentSlot: Slot
  readonly #rules: ForkChoiceRules
  // In the order of arrival, so that parents precede their children.
  readonly #nodes = new Map<RootHex, ForkChoiceNode>()
  readonly #votes = new Map<ValidatorIndex, Vote>()
  readonly #equivocating = new Set<ValidatorIndex>()
  #queue: { validators: readonly ValidatorIndex[]; vote: Vote }[] = []
  #unrealizedJustified: CheckpointHex
  #unrealizedFinalized: CheckpointHex
  #balances: { of: CheckpointHex; values: readonly number[] } | undefined

  /**
   * @param anchor The root of the block tree; trusted, so it counts as justified and finalized.
   * @param rules See {@link ForkChoiceRules}.
   */
  constructor(anchor: ForkChoiceBlock, rules: ForkChoiceRules) {
    this.#rules = rules
    this.currentSlot = anchor.slot
    this.justified = { epoch: this.#epochAt(anchor.slot), root: anchor.root }
    this.finalized = this.justified
    this.#unrealizedJustified = this.justified
    this.#unrealizedFinalized = this.justified
    this.#insert(anchor)
  }

  /** Advances the time to a slot (`on_tick`). */
  onTick(slot: Slot): void {
    while (this.currentSlot < slot) {
      this.currentSlot++
      this.proposerBoostRoot = zeroRoot
      if (this.currentSlot % this.#rules.slotsPerEpoch === 0) {
        this.#updateCheckpoints(this.#unrealizedJustified, this.#unrealizedFinalized)
      }
    }
    const due = this.#queue.filter(({ vote }) => vote.slot < slot)
    this.#queue = this.#queue.filter(({ vote }) => vote.slot >= slot)
    for (const { validators, vote } of due) this.#count(validators, vote)
  }

  /**
   * Adds a verified block (`on_block`).
   *
   * @param block The block; its parent must be known and it must descend from the finalized block.
   * @param timely Whether it arrived in its slot before attestations were due.
   */
  onBlock(block: ForkChoiceBlock, timely: boolean): void {
    if (!this.#nodes.has(block.parentRoot)) throw new Error(`The parent of block ${block.root} is not known.`)
    this.#insert(block)
    if (timely && block.slot === this.currentSlot && this.proposerBoostRoot === zeroRoot) {
      this.proposerBoostRoot = block.root
    }
    this.#updateCheckpoints(block.justified, block.finalized)
    const { unrealizedJustified, unrealizedFinalized } = block
    if (unrealizedJustified.epoch > this.#unrealizedJustified.epoch) {
      this.#unrealizedJustified = unrealizedJustified
    }
    if (unrealizedFinalized.epoch > this.#unrealizedFinalized.epoch) {
      this.#unrealizedFinalized = unrealizedFinalized
    }
    if (this.#epochAt(block.slot) < this.#epochAt(this.currentSlot)) {
      this.#updateCheckpoints(unrealizedJustified, unrealizedFinalized)
    }
  }

  /** Adds verified votes (`on_attestation`); they count from the slot after theirs. */
  onAttestation(validators: readonly ValidatorIndex[], vote: Vote): void {
    if (vote.slot < this.currentSlot) this.#count(validators, vote)
    else this.#queue.push({ validators, vote })
  }

  /** Permanently excludes the votes of these validators (`on_attester_slashing`). */
  onEquivocation(validators: readonly ValidatorIndex[]): void {
    for (const validator of validators) this.#equivocating.add(validator)
  }

  /** Stores the result of the execution layer; the descendants of an invalid block are invalid too. */
  setValidity(root: RootHex, validity: 'valid' | 'invalid'): void {
    const node = this.#nodes.get(root)
    if (node === undefined) return
    node.validity = validity
    if (validity === 'valid') return
    for (const child of this.#nodes.values()) {
      if (this.#nodes.get(child.parentRoot)?.validity === 'invalid') child.validity = 'invalid'
    }
  }

  /** Selects the head (`get_head`). */
  chooseHead(): RootHex {
    this.#computeWeights()
    for (const node of this.#nodes.values()) {
      node.bestChild = undefined
      node.bestDescendant = undefined
    }
    const inner = new Set<RootHex>()
    for (const node of [...this.#nodes.values()].toReversed()) {
      if (node.validity === 'invalid') continue
      const parent = this.#nodes.get(node.parentRoot)
      if (parent !== undefined) inner.add(parent.root)
      const isViable = inner.has(node.root) ? node.bestChild !== undefined : this.#isViableLeaf(node)
      if (!isViable) continue
      node.bestDescendant ??= node.root
      if (parent === undefined) continue
      const rival = parent.bestChild === undefined ? undefined : this.#nodes.get(parent.bestChild)
      if (rival === undefined || isHeavier(node, rival)) {
        parent.bestChild = node.root
        parent.bestDescendant = node.bestDescendant
      }
    }
    return this.#nodes.get(this.justified.root)?.bestDescendant ?? this.justified.root
  }

  /**
   * Removes blocks that do not descend from the finalized block.
   *
   * @returns The removed blocks.
   */
  prune(): readonly ForkChoiceNode[] {
    const { epoch, root } = this.finalized
    const conflicting = this.nodes().filter((node) => this.checkpointBlock(node.root, epoch) !== root)
    for (const node of conflicting) this.#nodes.delete(node.root)
    return conflicting
  }

  get(root: RootHex): ForkChoiceNode | undefined {
    return this.#nodes.get(root)
  }

  /** All nodes, parents before children. */
  nodes(): readonly ForkChoiceNode[] {
    return [...this.#nodes.values()]
  }

  /** The block of a branch at a slot, or the last one before it (`get_ancestor`). */
  ancestorAt(root: RootHex, slot: Slot): RootHex | undefined {
    let node = this.#nodes.get(root)
    while (node !== undefined && node.slot > slot) node = this.#nodes.get(node.parentRoot)
    return node?.root
  }

  /** The block that is the target of the votes of an epoch on a branch (`get_checkpoint_block`). */
  checkpointBlock(root: RootHex, epoch: Epoch): RootHex | undefined {
    return this.ancestorAt(root, this.#startSlot(epoch))
  }

  #insert(block: ForkChoiceBlock): void {
    const { root } = block
    this.#nodes.set(root, { ...block, weight: 0, bestChild: undefined, bestDescendant: undefined })
  }

  #count(validators: readonly ValidatorIndex[], vote: Vote): void {
    for (const validator of validators) {
      const latest = this.#votes.get(validator)
      if (latest === undefined || vote.targetEpoch > latest.targetEpoch) this.#votes.set(validator, vote)
    }
  }

  #updateCheckpoints(justified: CheckpointHex, finalized: CheckpointHex): void {
    if (justified.epoch > this.justified.epoch) this.justified = justified
    if (finalized.epoch > this.finalized.epoch) this.finalized = finalized
  }

  #computeWeights(): void {
    const balances = this.#justifiedBalances()
    for (const node of this.#nodes.values()) node.weight = 0
    for (const [validator, { blockRoot }] of this.#votes) {
      const node = this.#nodes.get(blockRoot)
      if (node === undefined || node.validity === 'invalid' || this.#equivocating.has(validator)) continue
      node.weight += balances[validator] ?? 0
    }
    const boosted = this.#nodes.get(this.proposerBoostRoot)
    if (boosted !== undefined && boosted.validity !== 'invalid') {
      const total = balances.reduce((sum, balance) => sum + balance, 0)
      const committee = Math.floor(total / this.#rules.slotsPerEpoch)
      boosted.weight += Math.floor((committee * this.#rules.proposerScoreBoost) / 100)
    }
    for (const node of [...this.#nodes.values()].toReversed()) {
      const parent = this.#nodes.get(node.parentRoot)
      if (parent !== undefined) parent.weight += node.weight
    }
  }

  #justifiedBalances(): readonly number[] {
    if (this.#balances?.of !== this.justified) {
      this.#balances = { of: this.justified, values: this.#rules.balancesAt(this.justified) }
    }
    return this.#balances.values
  }

  // `filter_block_tree` for a leaf.
  #isViableLeaf(node: ForkChoiceNode): boolean {
    const currentEpoch = this.#epochAt(this.currentSlot)
    // A block of an earlier epoch votes with its current checkpoint (`get_voting_source`).
    const source = currentEpoch > this.#epochAt(node.slot) ? node.unrealizedJustified : node.justified
    const isJustified =
      this.justified.epoch === 0 || source.epoch === this.justified.epoch || source.epoch + 2 >= currentEpoch
    const isFinalized =
      this.finalized.epoch === 0 ||
      this.checkpointBlock(node.root, this.finalized.epoch) === this.finalized.root
    return isJustified && isFinalized
  }

  #epochAt(slot: Slot): Epoch {
    return Math.floor(slot / this.#rules.slotsPerEpoch)
  }

  #startSlot(epoch: Epoch): Slot {
    return epoch * this.#rules.slotsPerEpoch
  }
}

function isHeavier(node: ForkChoiceNode, rival: ForkChoiceNode): boolean {
  return node.weight > rival.weight || (node.weight === rival.weight && node.root > rival.root)
}
