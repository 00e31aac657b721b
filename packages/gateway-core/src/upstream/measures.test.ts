import { beforeEach, describe, expect, it } from 'vitest'
import { CircuitBreaker } from './circuit-breaker.ts'
import { RetryBudget } from './retry-budget.ts'
import { RateBudget } from './rate-budget.ts'
import { Latency } from './latency.ts'

let now = 0
const clock = () => now
beforeEach(() => {
  now = 0
})

describe('CircuitBreaker', () => {
  const failing = (breaker: CircuitBreaker, times: number) => {
    for (let call = 0; call < times; call++) breaker.fail()
  }

  it('opens after five consecutive failures, or immediately when the upstream is down', () => {
    const breaker = new CircuitBreaker(clock)
    failing(breaker, 4)
    breaker.succeed()
    failing(breaker, 4)
    expect(breaker.state).toBe('closed')
    breaker.fail()
    expect(breaker.state).toBe('open')
    const down = new CircuitBreaker(clock)
    down.fail(true)
    expect(down.state).toBe('open')
  })

  it('opens when most of many calls fail', () => {
    const breaker = new CircuitBreaker(clock)
    for (let call = 0; call < 40; call++) {
      breaker.fail()
      breaker.fail()
      if (breaker.state === 'closed') breaker.succeed()
    }
    expect(breaker.state).toBe('open')
  })

  it('sends one probe after a pause, which doubles while the upstream fails', () => {
    const breaker = new CircuitBreaker(clock)
    breaker.fail(true)
    for (const pause of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      now += pause - 1
      expect(breaker.probe()).toBe(false)
      now += 1
      expect([breaker.probe(), breaker.probe()]).toEqual([true, false])
      expect(breaker.state).toBe('half-open')
      breaker.fail()
      expect(breaker.state).toBe('open')
    }
    now += 30_000
    expect(breaker.probe()).toBe(true)
    breaker.succeed()
    expect([breaker.state, breaker.errorRate, breaker.probe()]).toEqual(['closed', 0, true])
  })

  it('permits another probe when one is inconclusive, with the same pause after a failure', () => {
    const breaker = new CircuitBreaker(clock)
    breaker.fail(true)
    now += 1_000
    expect(breaker.probe()).toBe(true)
    breaker.cancelProbe()
    expect([breaker.state, breaker.probe(), breaker.state]).toEqual(['open', true, 'half-open'])
    breaker.succeed()
    breaker.cancelProbe()
    expect(breaker.state).toBe('closed')
  })

  it('permits a probe before the end of the pause when it is urgent, and pauses no longer when it fails', () => {
    const breaker = new CircuitBreaker(clock)
    breaker.fail(true)
    for (const passed of [0, 100, 899]) {
      now += passed
      expect([breaker.probe(), breaker.probe(true), breaker.probe(true)]).toEqual([false, true, false])
      breaker.fail(true)
      expect(breaker.state).toBe('open')
    }
    now += 1
    expect(breaker.probe()).toBe(true)
    breaker.fail(true)
    expect(breaker.probe(true)).toBe(true)
    breaker.succeed()
    expect(breaker.state).toBe('closed')
  })

  it('pauses longer after a relapse, and resets later', () => {
    const breaker = new CircuitBreaker(clock)
    breaker.fail(true)
    now += 1_000
    breaker.probe()
    breaker.succeed()
    breaker.fail(true)
    now += 1_000
    expect(breaker.probe()).toBe(false)
    now += 1_000
    expect(breaker.probe()).toBe(true)
    breaker.succeed()
    now += 60_000
    breaker.fail(true)
    now += 1_000
    expect(breaker.probe()).toBe(true)
  })
})

it('RetryBudget earns a share of the calls and a constant rate', () => {
  const budget = new RetryBudget({ share: 0.25, perSecond: 10, max: 3 }, clock)
  const spent = () => {
    let count = 0
    while (budget.spend()) count += 1
    return count
  }
  expect(spent()).toBe(3)
  for (let call = 0; call < 10; call++) budget.earn()
  expect(spent()).toBe(2)
  now += 100
  expect(spent()).toBe(1)
  now += 60_000
  expect(spent()).toBe(3)
})

describe('RateBudget', () => {
  it('allows one second of calls as a burst, and delays the others', () => {
    const rate = new RateBudget(4, clock)
    const waits = Array.from({ length: 6 }, () => {
      const { waitMs } = rate
      rate.take()
      return waitMs
    })
    expect(waits).toEqual([0, 0, 0, 0, 250, 500])
    now += 2_000
    expect(rate.waitMs).toBe(0)
  })

  it('pauses as long as the upstream requests, or with an increasing delay', () => {
    const rate = new RateBudget(undefined, clock)
    expect([rate.waitMs, rate.isPaused]).toEqual([0, false])
    rate.recordRejection(5_000)
    rate.recordRejection(undefined)
    expect([rate.waitMs, rate.isPaused]).toEqual([5_000, true])
    now += 5_000
    rate.recordAcceptance()
    for (const pause of [1_000, 2_000, 4_000]) {
      rate.recordRejection(undefined)
      expect(rate.waitMs).toBe(pause)
      now += pause
    }
    expect(rate.isPaused).toBe(false)
    rate.recordRejection(10 ** 9)
    expect(rate.waitMs).toBe(60_000)
  })

  it('ends a pause when the upstream accepts a call during it', () => {
    const rate = new RateBudget(2, clock)
    rate.recordRejection(undefined)
    expect([rate.isBlocked, rate.hasSlot, rate.isPausedOnRequest]).toEqual([true, true, false])
    rate.resume()
    expect([rate.isBlocked, rate.waitMs]).toEqual([false, 0])
    rate.recordRejection(60_000)
    expect([rate.isBlocked, rate.isPausedOnRequest]).toEqual([true, true])
    rate.resume()
    for (let calls = 0; calls < 3; calls += 1) rate.take()
    expect([rate.isBlocked, rate.hasSlot, rate.waitMs]).toEqual([false, false, 1_000])
  })
})

it('Latency reports the mean and the p95 of the responses', () => {
  const latency = new Latency()
  expect([latency.mean, latency.percentile95]).toEqual([undefined, undefined])
  latency.add(10)
  latency.add(20)
  expect(latency.mean).toBe(15)
  for (let ms = 1; ms <= 17; ms++) latency.add(ms)
  expect(latency.percentile95).toBeUndefined()
  latency.add(18)
  expect(latency.percentile95).toBe(20)
  for (let call = 0; call < 200; call++) latency.add(100)
  expect([Math.round(latency.mean ?? 0), latency.percentile95]).toEqual([100, 100])
})
