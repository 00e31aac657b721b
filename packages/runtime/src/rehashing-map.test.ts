import { getHeapSpaceStatistics } from 'node:v8'
import { collectGarbage } from '@fairlead/vitest/collect-garbage'
import { describe, expect, it } from 'vitest'
import { RehashingMap } from './rehashing-map.ts'

const inFlight = 64
const early = -1_000

/** Adds and removes many entries of about a kilobyte each, as calls do. */
function pass(
  map: Pick<RehashingMap<number, unknown>, 'set' | 'delete'>,
  from: number,
  entries: number,
): void {
  for (let at = from; at < from + entries; at++) {
    map.set(
      at,
      Array.from({ length: 128 }, () => at),
    )
    map.delete(at - inFlight)
  }
}

describe('a map of short-lived entries', () => {
  it('holds the entries that were not deleted after many insertions and deletions', () => {
    const map = new RehashingMap<number, unknown>()
    map.set(early, 'first')
    pass(map, 0, 10_000)
    expect(map.get(early)).toBe('first')
    expect(map.size).toBe(inFlight + 1)
    expect([...map.keys()].slice(0, 2)).toEqual([early, 10_000 - inFlight])
    map.delete(early)
    expect(map.get(early)).toBeUndefined()
    expect(map.size).toBe(inFlight)
  })

  it('leaves no deleted entries for a major garbage collection', () => {
    const map = new RehashingMap<number, unknown>()
    pass(map, 0, 1_000)
    collectGarbage()
    const before = oldGenerationBytes()
    for (let round = 1; round <= 20; round++) {
      pass(map, round * 1_000, 1_000)
      collectGarbage('minor')
    }
    // 20 MB have been added and removed.
    expect(oldGenerationBytes() - before).toBeLessThan(4_000_000)
  })
})

function oldGenerationBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0
}
