import { describe, expect, it } from 'vitest'
import {
  ancestorAt,
  type ForkChoice,
  forkChoiceHead,
  forkChoiceHeads,
  type ForkChoiceNode,
  forkChoiceTree,
  isViable,
  reorganization,
} from '../index.ts'
import { randomOf } from '../testing/random.ts'

const rootOf = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`

interface Sketch {
  readonly root: number
  readonly parent: number
  readonly slot: number
  readonly weight?: number | bigint
  readonly justified?: number
  readonly validity?: ForkChoiceNode['validity']
}

function forkChoiceOf(sketches: readonly Sketch[], justified = 0, finalized = 0, from = 1): ForkChoice {
  return {
    justified_checkpoint: { epoch: String(justified), root: rootOf(from) },
    finalized_checkpoint: { epoch: String(finalized), root: rootOf(1) },
    fork_choice_nodes: sketches.map(
      ({ root, parent, slot, weight = 0, justified: voted = 0, validity = 'valid' }) => ({
        slot: String(slot),
        block_root: rootOf(root),
        parent_root: rootOf(parent),
        justified_epoch: String(voted),
        finalized_epoch: '0',
        weight: String(weight),
        validity,
        execution_block_hash: rootOf(root),
      }),
    ),
  }
}

const headOf = (...parameters: Parameters<typeof forkChoiceHead>): number =>
  Number(forkChoiceHead(...parameters)?.node.block_root)

describe('the head', () => {
  it('is the heaviest branch, not the longest, and counts beyond 2^53', () => {
    const heavy = 2n ** 60n
    const sketches = [
      { root: 1, parent: 0, slot: 0 },
      { root: 2, parent: 1, slot: 1, weight: heavy + 1n },
      { root: 3, parent: 1, slot: 1, weight: heavy },
      { root: 4, parent: 3, slot: 2, weight: heavy },
    ]
    expect(headOf(forkChoiceOf(sketches))).toBe(2)
  })

  it('is the greater root between equal weights, whatever the case of its digits', () => {
    const forkChoice = forkChoiceOf([
      { root: 1, parent: 0, slot: 0 },
      { root: 0xa, parent: 1, slot: 1 },
      { root: 0xb, parent: 1, slot: 1 },
    ])
    const [, , last] = forkChoice.fork_choice_nodes
    if (last) Object.assign(last, { block_root: last.block_root.toUpperCase().replace('X', 'x') })
    expect(headOf(forkChoice)).toBe(0xb)
  })

  it('is searched from the justified block', () => {
    const sketches = [
      { root: 1, parent: 0, slot: 0 },
      { root: 2, parent: 1, slot: 1, weight: 100 },
      { root: 3, parent: 1, slot: 1, weight: 1 },
    ]
    expect(headOf(forkChoiceOf(sketches, 0, 0, 3))).toBe(3)
  })

  it('is never an invalid block or a descendant of one', () => {
    const sketches: Sketch[] = [
      { root: 1, parent: 0, slot: 0 },
      { root: 2, parent: 1, slot: 1, weight: 9, validity: 'invalid' },
      { root: 3, parent: 2, slot: 2, weight: 9, validity: 'optimistic' },
      { root: 4, parent: 1, slot: 1, weight: 1, validity: 'optimistic' },
    ]
    expect(headOf(forkChoiceOf(sketches))).toBe(4)
  })

  it('is not on a branch that voted with a checkpoint that is too old, regardless of its weight', () => {
    const sketches = [
      { root: 1, parent: 0, slot: 0 },
      { root: 2, parent: 1, slot: 300, weight: 9, justified: 5 },
      { root: 3, parent: 1, slot: 300, weight: 1, justified: 8 },
    ]
    expect(headOf(forkChoiceOf(sketches, 8), { currentSlot: 10n * 32n })).toBe(3)
    expect(headOf(forkChoiceOf(sketches, 8), { currentSlot: 8n * 32n - 1n })).toBe(2)
    expect(headOf(forkChoiceOf(sketches, 8), { currentSlot: 8n * 8n, slotsPerEpoch: 8n })).toBe(3)
  })

  it('is the genesis block for a node that reports no justified root yet', () => {
    const forkChoice = forkChoiceOf([{ root: 1, parent: 0, slot: 0 }], 0, 0, 0)
    expect(headOf(forkChoice)).toBe(1)
    const later = forkChoiceOf([{ root: 1, parent: 0, slot: 0 }], 3, 2, 0)
    expect(forkChoiceHead(later)).toBeUndefined()
  })

  it('is found in a chain of 30000 blocks without a fork', () => {
    const sketches = Array.from({ length: 30_000 }, (_, index) => ({
      root: index + 1,
      parent: index,
      slot: index,
    }))
    expect(headOf(forkChoiceOf(sketches))).toBe(30_000)
  })

  it('matches a naive get_head on random trees', () => {
    for (let seed = 1; seed <= 2_000; seed++) {
      const random = randomOf(seed)
      const below = (end: number): number => Math.floor(random() * end)
      const sketches: Sketch[] = [{ root: 1, parent: 0, slot: 0, justified: 2 }]
      for (let root = 2; root <= 2 + below(20); root++) {
        const parent = sketches[below(sketches.length)] as Sketch
        const validity = (['valid', 'valid', 'optimistic', 'invalid'] as const)[below(4)] ?? 'valid'
        const slot = parent.slot + 1 + below(20)
        sketches.push({ root, parent: parent.root, slot, weight: below(4), justified: below(4), validity })
      }
      const shuffled = sketches.toSorted(() => random() - 0.5)
      const currentSlot = BigInt(below(6) * 32)
      expect(headOf(forkChoiceOf(shuffled, 3), { currentSlot }), `seed ${seed}`).toBe(
        naiveHead(sketches, 3, Number(currentSlot / 32n)),
      )
    }
  })
})

/** get_head and filter_block_tree of the consensus specification, transcribed literally. */
function naiveHead(all: readonly Sketch[], justified: number, currentEpoch: number): number {
  const isInvalid = ({ validity, parent }: Sketch): boolean =>
    validity === 'invalid' || all.some((block) => block.root === parent && isInvalid(block))
  const blocks = all.filter((block) => !isInvalid(block))
  const childrenOf = (root: number): Sketch[] => blocks.filter(({ parent }) => parent === root)
  const isFiltered = (block: Sketch): boolean => {
    const children = childrenOf(block.root)
    if (children.length > 0) return children.some(isFiltered)
    const voted = block.justified ?? 0
    return voted === justified || voted + 2 >= currentEpoch
  }
  let head = 1
  for (;;) {
    const children = childrenOf(head).filter(isFiltered)
    const [best] = children.toSorted((a, b) => Number(b.weight) - Number(a.weight) || b.root - a.root)
    if (!best) return head
    head = best.root
  }
}

const forked = forkChoiceOf([
  { root: 5, parent: 4, slot: 9 },
  { root: 1, parent: 0, slot: 0 },
  { root: 2, parent: 1, slot: 3 },
  { root: 3, parent: 2, slot: 4 },
  { root: 4, parent: 2, slot: 7 },
])
const tree = forkChoiceTree(forked)
const block = (root: number) => tree.get(rootOf(root)) ?? expect.unreachable()

describe('the tree', () => {
  it('links blocks in any order, and preserves the nodes', () => {
    expect([...tree.values()].map(({ slot }) => slot)).toEqual([0n, 3n, 4n, 7n, 9n])
    expect(block(2).children).toEqual([block(3), block(4)])
    expect(block(5).parent).toBe(block(4))
    expect(block(1).parent).toBeUndefined()
    expect(block(5).node).toBe(forked.fork_choice_nodes[0])
  })

  it('lists its heads, the newest first', () => {
    expect(forkChoiceHeads(forked).map(({ node }) => Number(node.block_root))).toEqual([5, 3])
  })

  it('cannot become cyclic with an invalid response', () => {
    const ring = forkChoiceOf([
      { root: 1, parent: 2, slot: 1 },
      { root: 2, parent: 1, slot: 1 },
      { root: 3, parent: 3, slot: 1 },
    ])
    expect(forkChoiceHeads(ring)).toHaveLength(3)
  })

  it.each([
    [9n, 5],
    [8n, 4],
    [6n, 2],
    [0n, 1],
  ])('has at slot %i of a branch block %i', (slot, root) => {
    expect(ancestorAt(block(5), slot)).toBe(block(root))
  })

  it('returns undefined for pruned blocks', () => {
    expect(ancestorAt(block(5), -1n)).toBeUndefined()
  })
})

describe('a reorganization', () => {
  it('reports removed blocks, added blocks and the depth', () => {
    expect(reorganization(block(3), block(5))).toEqual({
      commonAncestor: block(2),
      removed: [block(3)],
      added: [block(4), block(5)],
      depth: 1n,
    })
  })

  it('is empty when the chain is extended', () => {
    expect(reorganization(block(2), block(5))).toMatchObject({ removed: [], depth: 0n })
    expect(reorganization(block(5), block(5))).toMatchObject({ removed: [], added: [] })
  })

  it('is undefined without a common ancestor', () => {
    const unrelated = forkChoiceTree(forkChoiceOf([{ root: 9, parent: 8, slot: 4 }])).get(rootOf(9))
    expect(unrelated && reorganization(block(5), unrelated)).toBeUndefined()
  })
})

describe('isViable', () => {
  const checkpoints = (finalized: string, epoch = '1') => ({
    justified_checkpoint: { epoch: '2', root: rootOf(2) },
    finalized_checkpoint: { epoch, root: finalized },
  })
  const clock = { currentSlot: 2n, slotsPerEpoch: 3n }

  it('requires the finalized block among the ancestors', () => {
    expect(isViable(block(5), checkpoints(rootOf(2)), clock)).toBe(true)
    expect(isViable(block(5), checkpoints(rootOf(3)), clock)).toBe(false)
    expect(isViable(block(5), checkpoints(rootOf(3), '0'), clock)).toBe(true)
  })
})
