import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseUpstreams } from '../grants/parse-upstreams.ts'
import { highestRangeLimit, selectSticky, selectUpstream } from './select-upstream.ts'
import { laggingBlocks, PoolMember } from './pool-member.ts'
import { Upstream } from './upstream.ts'

function members(...fragments: readonly string[]): PoolMember[] {
  const text = fragments.map((fragment) => `http://127.0.0.1:1#${fragment}`).join(' ')
  return parseUpstreams(text).map((record, position) => {
    const upstream = new Upstream(
      'abcdef'.charAt(position),
      { lastBytesAt: -Infinity, mismatchedResponses: 0 },
      record.requestsPerSecond,
    )
    upstream.hasReported = true
    return new PoolMember({ upstream, record, position }, 'evm', laggingBlocks)
  })
}

function selections(of: readonly PoolMember[], count: number): string {
  const choice = { method: 'eth_gasPrice', needs: { role: 'full' }, latencyClass: 'short' } as const
  return Array.from({ length: count }, () => selectUpstream(of, choice)?.upstream.id).join('')
}

it('alternates between upstreams by weight', () => {
  expect(selections(members('weight=3', 'weight=2', 'weight=1'), 12)).toBe('abacbaabacba')
  expect(selections(members('', '', ''), 6)).toBe('abcabc')
})

it('skips an upstream that responds much more slowly or has a much higher load', () => {
  const slow = members('', '')
  for (const ms of [50, 60, 55]) slow[0]?.upstream.latency.short.add(ms)
  for (const ms of [2, 3, 1]) slow[1]?.upstream.latency.short.add(ms)
  expect(selections(slow, 4)).toBe('bbbb')
  const similar = members('', '')
  for (const ms of [2, 3, 1]) similar[0]?.upstream.latency.short.add(ms)
  for (const ms of [1, 1, 1]) similar[1]?.upstream.latency.short.add(ms)
  expect(selections(similar, 4)).toBe('abab')
  const busy = members('', '')
  ;(busy[0] as PoolMember).upstream.callsInFlight = 3
  expect(selections(busy, 4)).toBe('bbbb')
  const heavy = members('weight=3', 'weight=1')
  ;(heavy[0] as PoolMember).upstream.callsInFlight = 3
  ;(heavy[1] as PoolMember).upstream.callsInFlight = 1
  expect(selections(heavy, 4)).toBe('aaba')
})

it('prefers health over weight, and an unhealthy upstream over none', () => {
  const [first, second] = members('weight=9', '') as [PoolMember, PoolMember]
  first.lag = 4
  expect(selections([first, second], 3)).toBe('bbb')
  second.upstream.breaker.fail(true)
  expect(selections([first, second], 3)).toBe('aaa')
  first.upstream.breaker.fail(true)
  expect(selections([first, second], 10)).toContain('a')
  expect(selectUpstream([], { method: '', needs: { role: 'full' }, latencyClass: 'long' })).toBeUndefined()
})

/** Upstreams of different classes, worst first. */
function ofClasses(): readonly PoolMember[] {
  const all = members('', '', 'cordoned', '', '', '')
  const [ready, unverified, , lagging, syncing, failing] = all
  if (unverified) unverified.upstream.isUnverified = true
  if (lagging) lagging.lag = 4
  if (syncing) syncing.upstream.isSyncing = true
  failing?.upstream.breaker.fail(true)
  const unknown = members('')
  for (const member of unknown) member.upstream.hasReported = false
  return [failing, syncing, ...unknown, lagging, unverified, ready].filter((member) => member !== undefined)
}

it('selects the healthiest upstream, regardless of the previous selection', () => {
  const left = [...ofClasses()]
  const order: string[] = []
  for (;;) {
    const best = selectSticky(left, left[0])
    if (!best) break
    order.push(best.class)
    left.splice(left.indexOf(best), 1)
  }
  expect(order).toEqual(['ready', 'unverified', 'lagging', 'unknown', 'stale', 'failing'])
})

it('keeps the current upstream among equals, otherwise selects the first', () => {
  const two = members('', '')
  expect(selectSticky(two, undefined)).toBe(two[0])
  expect(selectSticky(two, two[1])).toBe(two[1])
  expect(selectSticky([], two[1])).toBeUndefined()
})

it('skips an upstream at its rate limit until it accepts calls again', () => {
  const two = members('rps=1', '')
  two[0]?.upstream.rate.take()
  expect(selectSticky(two, two[0])).toBe(two[1])
})

describe('a known limit of the block range', () => {
  const choiceOf = (blocks: number | undefined, method = 'eth_getLogs') =>
    ({ method, needs: { role: 'full', blocks }, latencyClass: 'long' }) as const
  const selected = (of: readonly PoolMember[], blocks: number | undefined) =>
    Array.from({ length: 4 }, () => selectUpstream(of, choiceOf(blocks))?.upstream.id).join('')
  const limited = (...limits: readonly number[]) => {
    const all = members(...limits.map(() => ''))
    for (const [at, limit] of limits.entries()) {
      if (limit < Infinity) all[at]?.upstream.recordRangeLimit('eth_getLogs', limit)
    }
    return all as [PoolMember, PoolMember, ...PoolMember[]]
  }

  it('leads longer ranges to an upstream that accepts them', () => {
    const three = limited(100, 1_000, Infinity)
    expect(selected(three, 100)).toBe('abca')
    expect(selected(three, 101)).toBe('bcbc')
    expect(selected(three, 1_001)).toBe('cccc')
    expect(selected(three, undefined)).toContain('a')
    expect(selectUpstream(three, choiceOf(5_000, 'trace_filter'))).toBeDefined()
    expect(selected(limited(10, 20), 50)).toBe('abab')
  })

  it('matters less than health and capacity', () => {
    const two = limited(100, Infinity)
    two[1].lag = 4
    expect(selected(two, 500)).toBe('aaaa')
    expect(highestRangeLimit(two, choiceOf(500))).toBe(100)
    two[1].lag = 0
    expect(highestRangeLimit(two, choiceOf(500))).toBeUndefined()
    two[1].upstream.rate.recordRejection(5_000)
    expect(selected(two, 500)).toBe('aaaa')
    expect(highestRangeLimit(two, choiceOf(500))).toBe(100)
  })

  it('is the highest one of equal upstreams', () => {
    expect(highestRangeLimit(limited(100, 1_000), choiceOf(undefined))).toBe(1_000)
    expect(highestRangeLimit(limited(100, 1_000), choiceOf(undefined, 'trace_filter'))).toBeUndefined()
    expect(highestRangeLimit(limited(7), choiceOf(undefined))).toBe(7)
    expect(highestRangeLimit([], choiceOf(undefined))).toBeUndefined()
  })

  it('decreases with rejections, and expires ten minutes after the last one', () => {
    let now = 1_000
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => clock.mockRestore())
    const { upstream } = members('')[0] as PoolMember
    upstream.recordRangeLimit('eth_getLogs', 500)
    upstream.recordRangeLimit('eth_getLogs', 250)
    upstream.recordRangeLimit('eth_getLogs', 300)
    expect(upstream.rangeLimits).toEqual(new Map([['eth_getLogs', 250]]))
    now += 10 * 60_000 - 1
    expect(upstream.rangeLimitOf('eth_getLogs')).toBe(250)
    now += 1
    expect(upstream.rangeLimitOf('eth_getLogs')).toBeUndefined()
    expect(upstream.rangeLimits).toEqual(new Map())
    upstream.recordRangeLimit('eth_getLogs', 300)
    expect(upstream.rangeLimitOf('eth_getLogs')).toBe(300)
  })
})
