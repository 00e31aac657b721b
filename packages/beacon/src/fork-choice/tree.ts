import type { ForkChoiceNode } from '../generated/index.ts'

/** A block of a fork choice with its links in the tree. */
export interface ForkChoiceBlock {
  /** The block as the beacon node sent it, unchanged. */
  readonly node: ForkChoiceNode
  readonly slot: bigint
  /** In Gwei: the sum of all votes for the block and its descendants. */
  readonly weight: bigint
  /** Undefined for the oldest block that the beacon node still stores. */
  readonly parent: ForkChoiceBlock | undefined
  readonly children: readonly ForkChoiceBlock[]
}

/** The blocks of a fork choice by root (lower-case hex), parents before their children. */
export type ForkChoiceTree = ReadonlyMap<string, ForkChoiceBlock>

/**
 * Links the blocks of a fork choice into a tree.
 *
 * @param forkChoice - the response of `GET /eth/v1/debug/fork_choice`, or nodes collected from a stream
 * @returns every block by its root; integers as bigint, `node` unchanged
 * @example
 * ```ts
 * const tree = forkChoiceTree(await unwrap(beacon.GET('/eth/v1/debug/fork_choice')))
 * const forks = [...tree.values()].filter(({ children }) => children.length > 1)
 * ```
 * @see getDebugForkChoice
 */
export function forkChoiceTree(forkChoice: {
  readonly fork_choice_nodes: readonly ForkChoiceNode[]
}): ForkChoiceTree {
  interface Linked extends ForkChoiceBlock {
    parent: Linked | undefined
    readonly children: Linked[]
  }
  const blocks = forkChoice.fork_choice_nodes
    .map((node): Linked => ({
      node,
      slot: BigInt(node.slot),
      weight: BigInt(node.weight),
      parent: undefined,
      children: [],
    }))
    .toSorted((a, b) => Number(a.slot - b.slot))
  const tree = new Map(blocks.map((block) => [block.node.block_root.toLowerCase(), block]))
  for (const block of tree.values()) {
    const parent = tree.get(block.node.parent_root.toLowerCase())
    // A parent always has a lower slot. This check prevents cycles in an invalid response.
    if (!parent || parent.slot >= block.slot) continue
    block.parent = parent
    parent.children.push(block)
  }
  return tree
}

/**
 * Returns the block of a branch at a slot, or the last one before that slot.
 *
 * @param block - a block of the branch
 * @param slot - slot at or below that of the block
 * @returns the ancestor, or the block itself; undefined when the beacon node no longer stores it
 * @example
 * ```ts
 * ancestorAt(head, BigInt(epoch) * 32n)?.node.block_root // the checkpoint block of the epoch
 * ```
 * @see consensus-specs phase0/fork-choice.md, get_ancestor
 */
export function ancestorAt(block: ForkChoiceBlock, slot: bigint): ForkChoiceBlock | undefined {
  let ancestor: ForkChoiceBlock | undefined = block
  while (ancestor && ancestor.slot > slot) ancestor = ancestor.parent
  return ancestor
}

/** The difference between the chains of two heads. */
export interface Reorganization {
  readonly commonAncestor: ForkChoiceBlock
  /** Blocks removed from the chain, the newest first; empty when the new head extends the old one. */
  readonly removed: readonly ForkChoiceBlock[]
  /** Blocks added to the chain, the oldest first. */
  readonly added: readonly ForkChoiceBlock[]
  /** Number of slots from the common ancestor to the old head, as in the event `chain_reorg`. */
  readonly depth: bigint
}

/**
 * Compares two heads of one tree.
 *
 * @param from - the old head
 * @param to - the new head
 * @returns the blocks removed from and added to the chain; undefined when the tree does not contain a common ancestor
 * @example
 * ```ts
 * const change = reorganization(oldHead, newHead)
 * if (change?.removed.length) console.log('reorg of depth', change.depth)
 * ```
 * @see specs/beacon/openapi.yaml, eventstream (topic chain_reorg)
 */
export function reorganization(from: ForkChoiceBlock, to: ForkChoiceBlock): Reorganization | undefined {
  const removed: ForkChoiceBlock[] = []
  const added: ForkChoiceBlock[] = []
  let fromTip: ForkChoiceBlock | undefined = from
  let toTip: ForkChoiceBlock | undefined = to
  while (fromTip !== toTip) {
    if (!fromTip || !toTip) return undefined
    if (fromTip.slot >= toTip.slot) {
      removed.push(fromTip)
      fromTip = fromTip.parent
    } else {
      added.push(toTip)
      toTip = toTip.parent
    }
  }
  if (!fromTip) return undefined
  return { commonAncestor: fromTip, removed, added: added.toReversed(), depth: from.slot - fromTip.slot }
}
