import { describe, expect, it } from 'vitest'
import { BlockTime } from './block-time.ts'

const upstream = {}

/** A block time that has observed blocks of a chain, each the number of a block and a time in seconds. */
function observed(...blocks: readonly (readonly [number: number, seconds: number])[]): BlockTime {
  const blockTime = new BlockTime()
  for (const [number, seconds] of blocks) blockTime.observe(upstream, number, seconds * 1_000)
  return blockTime
}

/** Polls at an interval in seconds, from block 0 at second 0. */
function polls(blockMs: number, everySeconds: number, count: number): readonly (readonly [number, number])[] {
  return Array.from({ length: count }, (_, poll) => {
    const seconds = poll * everySeconds
    return [Math.floor((seconds * 1_000) / blockMs), seconds]
  })
}

/** As {@link polls}, after a poll at another block. */
function after(
  [number, seconds]: readonly [number, number],
  following: readonly (readonly [number, number])[],
): readonly (readonly [number, number])[] {
  return following.map(([added, later]) => [number + added, seconds + later])
}

describe('the block time', () => {
  it.each([
    ['Arbitrum, polled every second', 250, 1],
    ['TON, checked every 6 seconds', 400, 6],
    ['a chain with a block time of 2 seconds', 2_000, 1],
    ['Gnosis slots, checked every 6 seconds', 5_000, 6],
    ['Ethereum, polled every second', 12_000, 1],
    ['Ethereum slots, checked every 6 seconds', 12_000, 6],
    ['a chain with a block time of 10 minutes', 600_000, 1],
  ])('converges for %s', (_, blockMs, everySeconds) => {
    const count = Math.ceil((Math.max(blockMs / 1_000, 10) * 12) / everySeconds)
    const measured = observed(...polls(blockMs, everySeconds, count)).ms ?? Number.NaN
    expect(Math.abs(measured / blockMs - 1)).toBeLessThan(0.1)
  })

  it('is unknown until the progress of half a minute is known', () => {
    expect(observed(...polls(250, 1, 30)).ms).toBeUndefined()
    expect(observed(...polls(250, 1, 31)).ms).toBe(250)
  })

  it('is measured by timestamps with a resolution of one second', () => {
    const blocks = polls(250, 1, 100).map(([number, seconds]) => [number, Math.floor(seconds)] as const)
    expect(observed(...blocks).ms).toBeCloseTo(250, -1)
  })

  it('is measured from the first and the last poll of a time without polls', () => {
    expect(observed(...polls(250, 1, 11), ...polls(250, 3_600, 2).slice(1), [14_440, 3_610]).ms).toBe(250)
  })

  it('follows a chain that becomes faster', () => {
    expect(observed(...polls(750, 1, 200), ...after([265, 199], polls(450, 1, 100))).ms).toBeCloseTo(450, -1)
  })

  it.each([
    ['a halted chain', after([160, 40], [[0, 3_000], ...after([1, 3_600], polls(250, 1, 11))])],
    ['a reorganization', after([160, 40], [[-30, 1], ...after([-26, 2], polls(250, 1, 20))])],
    [
      'a lower block of a lagging backend',
      after([160, 40], [[-1, 0], [8, 2], ...after([40, 10], polls(250, 1, 20))]),
    ],
    ['a jump of an upstream', after([160, 40], [[5_000, 11], ...after([5_004, 12], polls(250, 1, 20))])],
    ['a clock that is set back', after([160, 40], [[4, -3_600], ...after([8, -3_599], polls(250, 1, 20))])],
  ])('does not change with %s', (_, further) => {
    const measured = observed(...polls(250, 1, 41), ...further).ms ?? Number.NaN
    expect(Math.abs(measured / 250 - 1)).toBeLessThan(0.01)
  })

  it.each([
    ['a reset of the chain', [1_000_000, 0]],
    ['a clock that was ahead', [0, 7_200]],
  ] as const)('is measured after %s', (_, first) => {
    expect(observed(first, ...after([0, 1], polls(250, 1, 31))).ms).toBe(250)
  })

  it('ignores an upstream that jumps between a high and the actual block', () => {
    const jumping = Array.from(
      { length: 100 },
      (_, at) => [at * 4 + (at % 7 === 0 ? 90_000 : 0), at] as const,
    )
    expect(observed(...polls(250, 1, 50), ...after([196, 49], jumping)).ms).toBe(250)
  })

  it('does not compare blocks of different upstreams', () => {
    const blockTime = new BlockTime()
    const other = {}
    for (const [number, seconds] of polls(400, 6, 20)) {
      blockTime.observe(upstream, number, seconds * 1_000)
      blockTime.observe(other, number + 1_000, seconds * 1_000 + 500)
    }
    expect(blockTime.ms).toBe(400)
  })

  it('is measured by another upstream when one reports nothing for a minute', () => {
    const blockTime = new BlockTime()
    const other = {}
    for (const [number, seconds] of polls(400, 6, 20)) {
      if (seconds < 20) blockTime.observe(upstream, number, seconds * 1_000)
      blockTime.observe(other, number, seconds * 1_000)
    }
    expect(blockTime.ms).toBe(400)
  })

  it('ignores the progress of an upstream that catches up', () => {
    const blockTime = new BlockTime()
    for (const [number, seconds] of polls(10, 1, 60)) {
      blockTime.interrupt(upstream)
      blockTime.observe(upstream, number, seconds * 1_000)
    }
    expect(blockTime.ms).toBeUndefined()
  })

  it('is never shorter than that of any chain', () => {
    expect(observed(...polls(1, 1, 60)).ms).toBe(100)
  })
})
