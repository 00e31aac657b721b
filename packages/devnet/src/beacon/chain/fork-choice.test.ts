import { describe, expect, it } from 'vitest'
import { balance, block, createTree, genesis, rootOf, vote } from '../../../test/small-tree.ts'

describe('ForkChoice', () => {
  it('selects the heaviest branch, and the greater root for equal weights', () => {
    const tree = createTree()
    tree.onTick(2)
    tree.onBlock(block('a', 'genesis', 1), false)
    tree.onBlock(block('b', 'genesis', 1), false)
    expect(tree.chooseHead()).toBe(rootOf('b'))
    tree.onAttestation([0], vote('a', 1))
    expect(tree.chooseHead()).toBe(rootOf('a'))
    tree.onAttestation([1, 2], vote('b', 1))
    tree.onBlock(block('c', 'b', 2), false)
    expect(tree.chooseHead()).toBe(rootOf('c'))
    expect(tree.get(rootOf('b'))?.weight).toBe(2 * balance)
    expect(tree.get(rootOf('genesis'))?.weight).toBe(3 * balance)
  })

  it('counts a vote from the next slot on', () => {
    const tree = createTree()
    tree.onTick(1)
    tree.onBlock(block('a', 'genesis', 1), false)
    tree.onBlock(block('b', 'genesis', 1), false)
    tree.onAttestation([0], vote('a', 1))
    expect(tree.chooseHead()).toBe(rootOf('b'))
    tree.onTick(2)
    expect(tree.chooseHead()).toBe(rootOf('a'))
  })

  it('uses the first vote of an epoch until a vote of a later epoch replaces it', () => {
    const tree = createTree()
    tree.onTick(9)
    tree.onBlock(block('a', 'genesis', 1), false)
    tree.onBlock(block('b', 'genesis', 1), false)
    tree.onAttestation([0], vote('a', 1))
    tree.onAttestation([0], vote('b', 2))
    expect(tree.chooseHead()).toBe(rootOf('a'))
    tree.onAttestation([0], vote('b', 5))
    expect(tree.chooseHead()).toBe(rootOf('b'))
  })

  it('boosts the first timely block of a slot until the slot is over', () => {
    const tree = createTree()
    tree.onTick(1)
    tree.onBlock(block('a', 'genesis', 1), true)
    tree.onBlock(block('b', 'genesis', 1), true)
    expect(tree.proposerBoostRoot).toBe(rootOf('a'))
    expect(tree.chooseHead()).toBe(rootOf('a'))
    // 40 % of a quarter of all validators.
    expect(tree.get(rootOf('a'))?.weight).toBe(0.4 * 4 * balance)
    tree.onTick(2)
    expect(tree.chooseHead()).toBe(rootOf('b'))
  })

  it('ignores the votes of equivocating validators', () => {
    const tree = createTree()
    tree.onTick(2)
    tree.onBlock(block('a', 'genesis', 1), false)
    tree.onBlock(block('b', 'genesis', 1), false)
    tree.onAttestation([0], vote('a', 1))
    tree.onEquivocation([0])
    expect(tree.chooseHead()).toBe(rootOf('b'))
  })

  it('excludes a branch with an invalid payload, with all its descendants', () => {
    const tree = createTree()
    tree.onTick(4)
    tree.onBlock(block('a', 'genesis', 1), false)
    tree.onBlock(block('b', 'genesis', 1, { validity: 'optimistic' }), false)
    tree.onBlock(block('c', 'b', 2, { validity: 'optimistic' }), false)
    tree.onAttestation([0, 1, 2], vote('c', 3))
    expect(tree.chooseHead()).toBe(rootOf('c'))
    tree.setValidity(rootOf('b'), 'invalid')
    expect(tree.chooseHead()).toBe(rootOf('a'))
    expect(tree.get(rootOf('c'))).toMatchObject({ validity: 'invalid', weight: 0 })
  })

  it('applies the unrealized justification of a block at the end of the epoch', () => {
    const tree = createTree()
    tree.onTick(5)
    tree.onBlock(block('a', 'genesis', 4), false)
    const justified = { epoch: 1, root: rootOf('a') }
    tree.onBlock(block('b', 'a', 5, { unrealizedJustified: justified }), false)
    expect(tree.justified).toEqual(genesis)
    tree.onTick(8)
    expect(tree.justified).toEqual(justified)
  })

  it('removes blocks that do not descend from the finalized block', () => {
    const tree = createTree()
    tree.onTick(12)
    tree.onBlock(block('a', 'genesis', 4), false)
    tree.onBlock(block('b', 'genesis', 5), false)
    const finalized = { epoch: 1, root: rootOf('a') }
    tree.onBlock(block('c', 'a', 12, { justified: finalized, finalized }), false)
    expect(tree.prune().map(({ root }) => root)).toEqual([rootOf('genesis'), rootOf('b')])
    expect(tree.nodes().map(({ root }) => root)).toEqual([rootOf('a'), rootOf('c')])
    expect(tree.chooseHead()).toBe(rootOf('c'))
  })
})
