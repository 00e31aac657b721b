import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseUpstreams } from '../grants/parse-upstreams.ts'
import { ChainHeads } from './chain-heads.ts'
import { PoolMember } from './pool-member.ts'
import { Upstream } from './upstream.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function members(minToleratedLag: number, ...heads: readonly number[]): readonly PoolMember[] {
  const text = heads.map((_, position) => `http://127.0.0.1:${position + 1}`).join(' ')
  return parseUpstreams(text).map((record, position) => {
    const upstream = new Upstream(
      String(position),
      { lastBytesAt: -Infinity, mismatchedResponses: 0 },
      undefined,
    )
    upstream.hasReported = true
    upstream.head = heads[position]
    return new PoolMember({ upstream, record, position }, 'evm', minToleratedLag)
  })
}

const [ethereum, gnosis, arbitrum, ton] = [12_000, 5_000, 250, 400]

describe('the class of an upstream', () => {
  it.each([
    // As before lag was judged in time.
    [ethereum, 3, 3, 'ready'],
    [ethereum, 3, 4, 'lagging'],
    [ethereum, 3, 40, 'lagging'],
    [ethereum, 3, 41, 'stale'],
    [12_100, 3, 3, 'ready'],
    [13_300, 3, 3, 'ready'],
    [600_000, 3, 1, 'ready'],
    [600_000, 3, 4, 'lagging'],
    [3_000, 3, 4, 'lagging'],
    [2_501, 3, 4, 'lagging'],
    [2_501, 3, 41, 'stale'],
    // Beacon slots.
    [ethereum, 2, 2, 'ready'],
    [ethereum, 2, 3, 'lagging'],
    [ethereum, 2, 41, 'stale'],
    [gnosis, 2, 3, 'lagging'],
    // Faster chains.
    [2_000, 3, 5, 'ready'],
    [2_000, 3, 6, 'lagging'],
    [2_000, 3, 50, 'lagging'],
    [2_000, 3, 51, 'stale'],
    [1_000, 3, 10, 'ready'],
    [1_000, 3, 11, 'lagging'],
    [1_000, 3, 101, 'stale'],
    [ton, 3, 25, 'ready'],
    [ton, 3, 26, 'lagging'],
    [ton, 3, 250, 'lagging'],
    [ton, 3, 251, 'stale'],
    [arbitrum, 3, 3, 'ready'],
    [arbitrum, 3, 40, 'ready'],
    [arbitrum, 3, 41, 'lagging'],
    [arbitrum, 3, 400, 'lagging'],
    [arbitrum, 3, 401, 'stale'],
  ] as const)(
    'with blocks of %i ms and a minimum of %i, %i blocks behind, is %s',
    (blockMs, minimum, lag, its) => {
      const pool = members(minimum, 1_000, 1_000 - lag)
      new ChainHeads(pool, () => blockMs).compare()
      expect(pool[1]?.state).toMatchObject({ lag, lagMs: lag * blockMs, class: its })
    },
  )
})

describe('the lag of an upstream', () => {
  it('is unknown without a head, and unchanged while the upstream fails or is on another chain', () => {
    const pool = members(3, 1_000, 990, 990, 990)
    const [best, unknown, failing, otherChain] = pool
    const heads = new ChainHeads(pool, () => ethereum)
    heads.compare()
    if (best && unknown && failing && otherChain) {
      best.upstream.head = 1_005
      unknown.upstream.head = undefined
      failing.upstream.breaker.fail(true)
      otherChain.isOnOtherChain = true
    }
    heads.compare()
    expect(pool.map(({ lag }) => lag)).toEqual([0, undefined, 10, 10])
  })

  it('is measured from an announced block, for a minute unless it is announced again', () => {
    const pool = members(3, 1_000, 998)
    const heads = new ChainHeads(pool, () => ethereum)
    const lags = () => {
      heads.compare()
      return pool.map(({ lag }) => lag)
    }
    heads.announce(1_004)
    expect(lags()).toEqual([4, 6])
    vi.advanceTimersByTime(59_000)
    heads.announce(1_005)
    vi.advanceTimersByTime(59_000)
    expect(lags()).toEqual([5, 7])
    vi.advanceTimersByTime(1_000)
    expect(lags()).toEqual([0, 2])
    heads.announce(900)
    expect(lags()).toEqual([0, 2])
    heads.announce(1_100)
    heads.reset()
    expect(lags()).toEqual([0, 2])
  })
})

describe('the block time of the upstreams', () => {
  /** Reports the heads of each second, with a timestamp or without. */
  function report(
    heads: ChainHeads<PoolMember>,
    pool: readonly PoolMember[],
    seconds: number,
    headsAt: (second: number) => readonly number[],
    timestampOf?: (head: number) => number,
  ): void {
    for (let second = 0; second < seconds; second += 1) {
      vi.advanceTimersByTime(1_000)
      for (const [position, head] of headsAt(second).entries()) {
        const member = pool[position]
        if (!member) continue
        member.upstream.head = head
        heads.compare()
        heads.measure(member, timestampOf?.(head))
      }
    }
    heads.compare()
  }

  it('is known before it is measured by the arrival of blocks', () => {
    const pool = members(3, 0, 0)
    const heads = new ChainHeads(pool, () => ethereum)
    report(heads, pool, 20, (second) => [second * 4, second * 4 - 10])
    expect(pool[1]?.state).toMatchObject({ lag: 10, lagMs: 120_000, class: 'lagging' })
    report(heads, pool, 20, (second) => [80 + second * 4, 70 + second * 4])
    expect(pool[1]?.state).toMatchObject({ lag: 10, lagMs: 2_500, class: 'ready' })
  })

  it('is measured by timestamps, whenever blocks arrive and whichever upstream reports them', () => {
    const pool = members(3, 0, 0)
    const heads = new ChainHeads(pool, () => ethereum)
    const alternating = (second: number) => (second % 2 === 0 ? [second * 20] : [0, second * 20])
    report(heads, pool, 20, alternating, (head) => head * 250)
    expect(pool[0]?.blockMs).toBe(250)
  })

  it('is not that of an upstream that catches up', () => {
    const pool = members(3, 0, 100_000)
    const heads = new ChainHeads(pool, () => ethereum)
    report(heads, pool, 50, (second) => [second * 100, 100_000])
    expect(pool[0]?.blockMs).toBe(ethereum)
  })

  it('stays when the list changes, and is measured again on another chain', () => {
    const pool = members(3, 0)
    const heads = new ChainHeads(pool, () => ethereum)
    report(heads, pool, 40, (second) => [second * 4])
    const [next] = members(3, 160)
    const changed = new ChainHeads(next ? [next] : [], () => ethereum, heads)
    changed.compare()
    expect(next?.blockMs).toBe(250)
    changed.reset()
    changed.compare()
    expect(next?.blockMs).toBe(ethereum)
  })
})
