import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { parseUpstreams } from '../grants/parse-upstreams.ts'
import { HealthRounds, type RoundActions } from './health-rounds.ts'
import { PoolMember } from './pool-member.ts'
import { Upstream } from './upstream.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const times = { intervalMs: 100, firstRoundMs: 1_000, idleMs: 60_000 }

/** Rounds of one upstream. */
function rounds(actions: Partial<RoundActions<PoolMember>> = {}) {
  const members = parseUpstreams('http://a').map((record, position) => {
    const upstream = new Upstream('a', { lastBytesAt: -Infinity, mismatchedResponses: 0 }, undefined)
    return new PoolMember({ upstream, record, position }, 'evm', 0)
  })
  const check = vi.fn(() => Promise.resolve())
  return { check, rounds: new HealthRounds(members, times, { check, ...actions }) }
}

it('makes calls wait for the first round, unless the upstreams were checked recently', async () => {
  const unknown = rounds()
  const first = unknown.rounds.use()
  expect(first).toBeInstanceOf(Promise)
  await first
  expect(unknown.rounds.use()).toBeUndefined()
  const current = rounds({ isCurrent: () => true })
  expect(current.rounds.use()).toBeUndefined()
  expect([unknown.check, current.check].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  await vi.advanceTimersByTimeAsync(times.intervalMs)
  expect([unknown.check, current.check].map(({ mock }) => mock.calls.length)).toEqual([2, 2])
})

it('starts no round after it was retired', async () => {
  const { check, rounds: used } = rounds()
  await used.use()
  used.retire()
  expect(used.use()).toBeUndefined()
  await vi.advanceTimersByTimeAsync(3 * times.intervalMs)
  expect(check).toHaveBeenCalledTimes(1)
})

it('starts the first round also after it was retired, for calls that began before', async () => {
  const { check, rounds: unused } = rounds()
  unused.retire()
  const first = unused.use()
  expect(unused.use()).toBe(first)
  await first
  expect(unused.use()).toBeUndefined()
  await vi.advanceTimersByTimeAsync(3 * times.intervalMs)
  expect(check).toHaveBeenCalledTimes(1)
})
