import type { ForkChoice } from '../generated/index.ts'
import { ancestorAt, type ForkChoiceBlock, type ForkChoiceTree, forkChoiceTree } from './tree.ts'

/** The clock against which block viability is checked. */
export interface ForkChoiceClock {
  /** Current slot. Default: the highest slot of the tree. */
  readonly currentSlot?: bigint | undefined
  /** Default 32, as on every public network; 8 with the minimal preset. */
  readonly slotsPerEpoch?: bigint | undefined
}

type Checkpoints = Pick<ForkChoice, 'justified_checkpoint' | 'finalized_checkpoint'>

/**
 * Returns whether a block without children can become the head.
 *
 * A block is viable when it is not invalid, descends from the finalized block, and has voted with the justified
 * checkpoint or at most two epochs ago.
 *
 * @param block - a block of the tree of the response
 * @param forkChoice - checkpoints of the response
 * @param clock - `currentSlot` and `slotsPerEpoch`
 * @returns whether the block is a candidate for the head
 * @example
 * ```ts
 * forkChoiceHeads(forkChoice).filter((block) => isViable(block, forkChoice, { currentSlot }))
 * ```
 * @see consensus-specs phase0/fork-choice.md, filter_block_tree
 */
export function isViable(
  block: ForkChoiceBlock,
  forkChoice: Checkpoints,
  { currentSlot = block.slot, slotsPerEpoch = 32n }: ForkChoiceClock = {},
): boolean {
  const { justified_checkpoint: justified, finalized_checkpoint: finalized } = forkChoice
  const votedEpoch = BigInt(block.node.justified_epoch)
  const justifiedEpoch = BigInt(justified.epoch)
  const isJustified =
    justifiedEpoch === 0n || votedEpoch === justifiedEpoch || votedEpoch + 2n >= currentSlot / slotsPerEpoch
  if (block.node.validity === 'invalid' || !isJustified) return false
  const finalizedEpoch = BigInt(finalized.epoch)
  if (finalizedEpoch === 0n) return true
  const ancestor = ancestorAt(block, finalizedEpoch * slotsPerEpoch)
  // The node has pruned the blocks before the finalized one, so a block without such an ancestor is still viable.
  return !ancestor || sameRoot(ancestor.node.block_root, finalized.root)
}

/**
 * Returns the leaf blocks of the tree.
 *
 * @param forkChoice - the response of `GET /eth/v1/debug/fork_choice`
 * @returns the last block of every branch, the newest first, whatever its validity
 * @example
 * ```ts
 * for (const { slot, weight, node } of forkChoiceHeads(forkChoice)) console.log(slot, weight, node.validity)
 * ```
 * @see consensus-specs phase0/fork-choice.md
 */
export function forkChoiceHeads(forkChoice: ForkChoice): readonly ForkChoiceBlock[] {
  return [...forkChoiceTree(forkChoice).values()].filter(({ children }) => children.length === 0).toReversed()
}

/**
 * Computes the head: starts at the justified block and follows the heaviest child repeatedly, among branches that end
 * in a viable block.
 *
 * Invalid blocks and their descendants are excluded. Between equal weights the greater root wins.
 *
 * @param forkChoice - the response of `GET /eth/v1/debug/fork_choice`; its weights are used unchanged
 * @param clock - `currentSlot` and `slotsPerEpoch`
 * @returns the head; the justified block when no branch is viable; undefined when the response does not contain that
 *   block
 * @example
 * ```ts
 * const head = forkChoiceHead(await unwrap(beacon.GET('/eth/v1/debug/fork_choice')))
 * console.log(head?.slot, head?.node.block_root)
 * ```
 * @see consensus-specs phase0/fork-choice.md, get_head; sync/optimistic.md for invalid blocks
 */
export function forkChoiceHead(
  forkChoice: ForkChoice,
  clock: ForkChoiceClock = {},
): ForkChoiceBlock | undefined {
  const tree = forkChoiceTree(forkChoice)
  const viable = viableBlocks(tree, forkChoice, clock)
  let head = startOf(tree, forkChoice)
  for (let next = head; next; next = heaviest(next.children.filter((child) => viable.has(child)))) head = next
  return head
}

// Children before parents, in a loop: a chain that does not finalize is too long for recursion.
function viableBlocks(
  tree: ForkChoiceTree,
  forkChoice: Checkpoints,
  clock: ForkChoiceClock,
): ReadonlySet<ForkChoiceBlock> {
  const blocks = [...tree.values()]
  const currentSlot = clock.currentSlot ?? blocks.at(-1)?.slot ?? 0n
  const invalid = new Set<ForkChoiceBlock>()
  for (const block of blocks) {
    if (block.node.validity === 'invalid' || (block.parent && invalid.has(block.parent))) invalid.add(block)
  }
  const viable = new Set<ForkChoiceBlock>()
  for (const block of blocks.toReversed()) {
    if (invalid.has(block)) continue
    const children = block.children.filter((child) => !invalid.has(child))
    const isOnViable = children.some((child) => viable.has(child))
    if (isOnViable || (children.length === 0 && isViable(block, forkChoice, { ...clock, currentSlot })))
      viable.add(block)
  }
  return viable
}

// Some nodes report no root before the first justification; then the start is the genesis block.
function startOf(
  tree: ForkChoiceTree,
  { justified_checkpoint: { epoch, root } }: Checkpoints,
): ForkChoiceBlock | undefined {
  const justified = tree.get(root.toLowerCase())
  return justified ?? (epoch === '0' ? tree.values().next().value : undefined)
}

function heaviest(blocks: readonly ForkChoiceBlock[]): ForkChoiceBlock | undefined {
  return blocks.toSorted(compare).at(-1)
}

function compare(a: ForkChoiceBlock, b: ForkChoiceBlock): number {
  if (a.weight !== b.weight) return a.weight < b.weight ? -1 : 1
  return a.node.block_root.toLowerCase() < b.node.block_root.toLowerCase() ? -1 : 1
}

function sameRoot(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
