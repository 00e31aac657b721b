import { expect, it } from 'vitest'
import { FilterTree, type TreeFilter, uncheckedPositions } from './filter-tree.ts'
import { readLogFilter } from './log-filter.ts'

const topic = (digits: string) => `0x${digits.padStart(64, '0')}`
const address = (digits: string) => `0x${digits.padStart(40, '0')}`

function treeFilter(options: unknown): TreeFilter {
  const filter = readLogFilter(options)
  return { ...filter, unchecked: uncheckedPositions(filter) }
}

function isMatch({ addresses, topics }: TreeFilter, [of = '', ...given]: readonly string[]): boolean {
  if (addresses.length > 0 && !addresses.includes(of)) return false
  return topics.every((values, at) => {
    const value = given[at]
    return value !== undefined && (values.length === 0 || values.includes(value))
  })
}

it.each([
  [[], true],
  [[topic('a')], true],
  [[null, topic('b')], true],
  [[[topic('c'), topic('a')]], true],
  [[topic('b')], false],
  [[topic('a'), topic('a')], false],
  // As in execution clients, a position without a topic does not match, not even "any".
  [[null, null, null], false],
  [[null, null], true],
])('matches the topics %j: %s', (topics, expected) => {
  const tree = new FilterTree<TreeFilter>()
  tree.add(treeFilter({ topics }))
  expect(tree.find([address('1'), topic('a'), topic('b')])).toHaveLength(expected ? 1 : 0)
})

it('finds the same filters as a linear search, each once, also after removals', () => {
  // A seeded pseudorandom generator, for the same filters in each run.
  let state = 42
  const below = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % limit
  }
  const some = (create: (digits: string) => string) =>
    Array.from({ length: below(9) }, () => create(below(12).toString(16)))
  const tree = new FilterTree<TreeFilter>()
  const filters = Array.from({ length: 3_000 }, () =>
    treeFilter({ address: some(address), topics: Array.from({ length: below(5) }, () => some(topic)) }),
  )
  for (const filter of filters) tree.add(filter)
  const compare = (expectedOf: readonly TreeFilter[]) => {
    let matches = 0
    for (let log = 0; log < 300; log++) {
      const topics = Array.from({ length: below(5) }, () => topic(below(12).toString(16)))
      const values = [address(below(12).toString(16)), ...topics]
      const found = tree.find(values)
      expect(new Set(found).size).toBe(found.length)
      const expected = expectedOf.filter((filter) => isMatch(filter, values))
      const checked = found.filter((filter) => isMatch(filter, values))
      expect(new Set(checked)).toEqual(new Set(expected))
      matches += expected.length
    }
    return matches
  }
  expect(compare(filters)).toBeGreaterThan(1_000)
  for (const filter of filters.slice(0, 1_500)) tree.remove(filter)
  expect(compare(filters.slice(1_500))).toBeGreaterThan(500)
  for (const filter of filters) tree.remove(filter)
  expect(compare([])).toBe(0)
})

it('does not visit filters of the same contract and event with another argument', () => {
  const tree = new FilterTree<TreeFilter>()
  for (let account = 0; account < 16_000; account++) {
    tree.add(treeFilter({ address: address('1'), topics: [topic('a'), topic(account.toString(16))] }))
  }
  expect(tree.find([address('1'), topic('a'), topic('ffffff')])).toEqual([])
  expect(tree.find([address('1'), topic('a'), topic('ff')])).toHaveLength(1)
})
