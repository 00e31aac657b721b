import { expect, it } from 'vitest'
import { parseUpstreams } from '../grants/parse-upstreams.ts'
import { selectSticky, selectUpstream } from './select-upstream.ts'
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
