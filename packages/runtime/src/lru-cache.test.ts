import { collectGarbage } from '@fairlead/vitest/collect-garbage'
import { expect, it } from 'vitest'
import { createLruCache } from './lru-cache.ts'

it('evicts the least recently used entry', () => {
  const disposed: [string, number][] = []
  const cache = createLruCache<number>({
    maxEntries: 2,
    dispose: (value, key) => disposed.push([key, value]),
  })
  cache.set('a', 1)
  cache.set('b', 2)
  expect(cache.get('a')).toBe(1)
  cache.set('c', 3)
  expect([...cache.keys()].toSorted()).toEqual(['a', 'c'])
  expect(disposed).toEqual([['b', 2]])
  cache.set('a', 4)
  cache.delete('c')
  expect(disposed).toEqual([
    ['b', 2],
    ['a', 1],
    ['c', 3],
  ])
})

it('allocates no memory for entries that it does not have', () => {
  // Preallocated lists would take more than 24 MB per cache.
  collectGarbage()
  const before = process.memoryUsage()
  const caches = Array.from({ length: 10 }, () => createLruCache<number>({ maxEntries: 1_000_000 }))
  collectGarbage()
  const after = process.memoryUsage()
  expect(caches).toHaveLength(10)
  expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(24_000_000)
})
