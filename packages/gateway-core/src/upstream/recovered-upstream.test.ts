import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseUpstreams } from '../grants/parse-upstreams.ts'
import type { ResponseCompletion } from './attempt.ts'
import { FailoverCall } from './failover-call.ts'
import type { FailoverCallSettings } from './failover-settings.ts'
import { hasResponsive, PoolMember } from './pool-member.ts'
import { RetryBudget, retryRules } from './retry-budget.ts'
import { selectSticky } from './select-upstream.ts'
import { SilenceWatch } from './silence-watch.ts'
import { trialRules, Upstream } from './upstream.ts'
import { UpstreamBusyError, UpstreamError, type UpstreamErrorKind } from './upstream-error.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const responseMs = 4
const silentMs = 700
const perSecond = 300

/** An upstream without a network. It sends a response, fails, or hangs. */
class Simulated {
  lastBytesAt = -Infinity
  behaviour: 'responds' | 'hangs' | UpstreamError = 'responds'
  received = 0
  readonly mismatchedResponses = 0

  send(completion: ResponseCompletion<Simulated>): void {
    this.received += 1
    const { behaviour } = this
    if (behaviour === 'hangs') return
    setTimeout(() => {
      this.lastBytesAt = performance.now()
      if (behaviour === 'responds') completion.resolve(this)
      else completion.reject(behaviour)
    }, responseMs)
  }
}

type Member = PoolMember<Simulated>

function failure(kind: UpstreamErrorKind, httpStatus?: number): UpstreamError {
  return new UpstreamError(kind, 'failed', { httpStatus })
}

/** Two upstreams, and the outcomes of the calls to them: the upstream that has responded, or the error. */
function pool(options = '') {
  const members = parseUpstreams(`http://a#${options} http://b`).map((record, position) => {
    const upstream = new Upstream('ab'.charAt(position), new Simulated(), record.requestsPerSecond)
    upstream.hasReported = true
    return new PoolMember({ upstream, record, position }, 'evm', 3)
  })
  const [a, b] = members as [Member, Member]
  const watch = new SilenceWatch(
    members,
    () => Promise.resolve(),
    () => undefined,
    undefined,
    () => performance.now(),
  )
  const retries = new RetryBudget(retryRules)
  const outcomes: unknown[] = []
  const call = (resending: FailoverCallSettings<Simulated, Simulated, 'good'>['resending'] = 'always') => {
    watch.beginCall()
    retries.earn()
    const settings: FailoverCallSettings<Simulated, Simulated, 'good'> = {
      tenant: undefined,
      signal: new AbortController().signal,
      latencyClass: 'short',
      resending,
      slowAfterMs: 600_000,
      send: (upstream, _, completion) => upstream.send(completion),
      classify: () => 'good',
      isStreaming: () => false,
      decide: () => 'accept',
      discard: () => undefined,
    }
    const support = {
      choose: (_: unknown, tried: readonly Member[]) =>
        selectSticky(
          members.filter((member) => member.isInUse && !tried.includes(member)),
          b,
        ),
      hedgeMs: () => undefined,
      hasResponsive: () => hasResponsive(members),
      retry: () => retries.spend(),
      hedge: () => false,
    }
    const settle = (outcome: unknown) => {
      watch.endCall()
      outcomes.push(outcome)
    }
    new FailoverCall(settings, support, {
      resolve: ({ member }) => settle(member.upstream.id),
      reject: settle,
    }).begin()
  }
  /** Calls at a steady rate. */
  const callFor = async (seconds: number) => {
    for (let calls = 0; calls < seconds * perSecond; calls += 1) {
      call()
      await vi.advanceTimersByTimeAsync(1_000 / perSecond)
    }
  }
  return { a: a.upstream, b: b.upstream, members: [a, b] as const, call, callFor, outcomes }
}

/** Opens the circuit breaker for its longest pause. */
function relapse({ breaker }: Upstream): void {
  for (let times = 0; times < 6; times += 1) {
    breaker.fail(true)
    vi.advanceTimersByTime(30_000)
    breaker.probe()
    breaker.fail()
  }
}

const states: Readonly<Record<string, (a: Upstream<Simulated>, member: Member) => void>> = {
  'has an open circuit breaker': ({ breaker }) => breaker.fail(true),
  'has failed again and again': (a) => relapse(a),
  'has a probe without a result': ({ breaker }) => {
    breaker.fail(true)
    breaker.probe(true)
  },
  'has rejected calls': ({ rate }) => rate.recordRejection(undefined),
  lags: (_, member) => (member.lag = 4),
  'is stale': (_, member) => (member.lag = 41),
  syncs: (a) => (a.isSyncing = true),
  'has not reported its health': (a) => (a.hasReported = false),
  'is unverified': (a) => (a.isUnverified = true),
}

const requestsPause = ({ rate }: Upstream) => rate.recordRejection(60_000)

describe('while the preferred upstream is silent', () => {
  it.each([...Object.entries(states), ['has requested a pause', requestsPause] as const])(
    'calls are sent to one that %s',
    async (_, bring) => {
      const { a, b, members, call, outcomes } = pool()
      bring(a, members[0])
      b.connection.behaviour = 'hangs'
      for (let at = 0; at < 100; at += 1) call()
      await vi.advanceTimersByTimeAsync(silentMs)
      expect(outcomes).toEqual(Array.from({ length: 100 }, () => 'a'))
      expect([a.breaker.state, a.rate.waitMs]).toEqual(['closed', 0])
    },
  )

  it.each<readonly [string, string, (a: Upstream<Simulated>, member: Member) => void]>([
    ['is silent too', '', ({ silence }) => (silence.isSuspected = silence.isSilent = true)],
    ['is on another chain', '', (_, member) => (member.isOnOtherChain = true)],
    ['may be on another chain', '', (_, member) => (member.isChainUnknown = true)],
    ['is cordoned', 'cordoned', () => undefined],
    ['has reached its configured rate', 'rps=1', ({ rate }) => [...Array(600)].forEach(() => rate.take())],
  ])('no call is sent to one that %s', async (_, options, bring) => {
    const { a, b, members, call, outcomes } = pool(options)
    bring(a, members[0])
    b.connection.behaviour = 'hangs'
    const before = a.connection.received
    for (let at = 0; at < 100; at += 1) call()
    await vi.advanceTimersByTimeAsync(10_000)
    expect([outcomes, a.connection.received - before]).toEqual([[], 0])
  })

  it.each(['same bytes', 'unseen'] as const)(
    'no call is sent twice that is idempotent as %s',
    async (resending) => {
      const { a, b, call, outcomes } = pool()
      a.breaker.fail(true)
      b.connection.behaviour = 'hangs'
      call(resending)
      await vi.advanceTimersByTimeAsync(10_000)
      expect([outcomes, a.connection.received]).toEqual([[], 0])
    },
  )
  it('a call is sent again to one that failed and has recovered', async () => {
    const { a, b, call, outcomes } = pool()
    a.connection.behaviour = failure('connect_failed')
    b.connection.behaviour = 'hangs'
    relapse(a)
    for (let at = 0; at < 100; at += 1) call()
    await vi.advanceTimersByTimeAsync(5_000)
    expect([outcomes, a.connection.received]).toEqual([[], 45])
    a.connection.behaviour = 'responds'
    await vi.advanceTimersByTimeAsync(200)
    expect(outcomes).toEqual(Array.from({ length: 100 }, () => 'a'))
  })

  it('one that is down receives a limited number of calls', async () => {
    const { a, b, callFor } = pool()
    a.connection.behaviour = failure('connect_failed')
    b.connection.behaviour = 'hangs'
    relapse(a)
    await callFor(20)
    const { perSecond: limit, max } = trialRules.waiting
    expect(a.connection.received).toBeGreaterThan(100)
    expect(a.connection.received).toBeLessThanOrEqual(20 * limit + max)
  })
})

const failures = {
  'refuses connections': failure('connect_failed'),
  'resets connections': failure('reset'),
  'responds with HTTP 500': failure('http_error', 500),
  'responds with HTTP 429': failure('http_error', 429),
  'responds with another content': failure('malformed'),
}

describe.each(Object.entries(failures))('while the preferred upstream %s', (_, error) => {
  it.each(Object.entries(states))('no call fails when another one %s', async (__, bring) => {
    const { a, b, members, callFor, outcomes } = pool()
    bring(a, members[0])
    b.connection.behaviour = error
    await callFor(2)
    await vi.advanceTimersByTimeAsync(100)
    expect([outcomes.length, new Set(outcomes)]).toEqual([2 * perSecond, new Set(['a'])])
  })
})

describe('while an upstream has requested a pause', () => {
  it('it receives no calls, and one that is down receives a limited number', async () => {
    const { a, b, callFor, outcomes } = pool()
    a.connection.behaviour = failure('connect_failed')
    relapse(a)
    requestsPause(b)
    await callFor(10)
    const { perSecond: limit, max } = trialRules.failing
    expect(a.connection.received).toBeGreaterThan(max)
    expect(a.connection.received).toBeLessThanOrEqual(max + 10 * limit)
    expect(b.connection.received).toBe(0)
    expect(
      outcomes.every((outcome) => outcome instanceof UpstreamBusyError || outcome instanceof UpstreamError),
    ).toBe(true)
  })
})
