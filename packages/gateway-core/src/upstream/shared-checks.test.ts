import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { parseUpstreams } from '../grants/parse-upstreams.ts'
import { SteadyPool } from './steady-pool.ts'
import { Upstream } from './upstream.ts'
import { UpstreamError } from './upstream-error.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const times = { intervalMs: 6_000, checkTimeoutMs: 3_000, firstRoundMs: 1_000, idleMs: 600_000 }

/** Several pools of one upstream that fails its health checks. */
function failing(count: number) {
  const upstream = new Upstream('a', { lastBytesAt: -Infinity, mismatchedResponses: 0 }, undefined)
  const failure = new UpstreamError('http_error', 'The upstream returned HTTP 500.')
  const readHealth = vi.fn(() => Promise.reject(failure))
  const [record] = parseUpstreams('http://a')
  if (!record) throw new Error('no upstream')
  const pools = Array.from({ length: count }, () => {
    const source = { rules: [readHealth], failureOf: () => failure, toleratedLag: 0, times }
    return new SteadyPool('grpc', [{ upstream, record, position: 0 }], source)
  })
  return { upstream, readHealth, pools }
}

it.each([1, 5])(
  'failed checks in a row open the circuit breaker after five rounds of %i pools',
  async (count) => {
    const { upstream, readHealth, pools } = failing(count)
    for (const pool of pools) pool.watch()
    await vi.advanceTimersByTimeAsync(0)
    for (let round = 1; round < 5; round += 1) {
      expect([readHealth.mock.calls.length, upstream.breaker.state]).toEqual([round * count, 'closed'])
      await vi.advanceTimersByTimeAsync(times.intervalMs)
    }
    expect(upstream.breaker.state).toBe('open')
  },
)

it('a failed probe opens the circuit breaker again, also shortly after a check of another pool', async () => {
  const { upstream, pools } = failing(1)
  const error = new UpstreamError('connect_failed', 'The upstream is unreachable.')
  upstream.recordFailedCheck(error, {})
  expect(upstream.breaker.state).toBe('open')
  await vi.advanceTimersByTimeAsync(1_000)
  upstream.recordFailedCheck(error, {})
  for (const pool of pools) pool.watch()
  expect(upstream.breaker.state).toBe('half-open')
  await vi.advanceTimersByTimeAsync(0)
  expect(upstream.breaker.state).toBe('open')
})

it.each([
  ['waits for the pause of an open circuit breaker', false, 'open'],
  ['does not wait for it when no other upstream responds', true, 'closed'],
] as const)('a successful check %s', async (_, isOtherSilent, state) => {
  const records = parseUpstreams('http://a http://b')
  const upstreams = records.map((record, position) => ({
    upstream: new Upstream(
      'ab'.charAt(position),
      { lastBytesAt: -Infinity, mismatchedResponses: 0 },
      undefined,
    ),
    record,
    position,
  }))
  const [a, b] = upstreams.map(({ upstream }) => upstream)
  a?.breaker.fail(true)
  if (b) b.silence.isSilent = isOtherSilent
  const pool = new SteadyPool('beacon', upstreams, { rules: [], toleratedLag: 0, times })
  pool.checkSoon()
  await vi.advanceTimersByTimeAsync(0)
  expect(a?.breaker.state).toBe(state)
})
