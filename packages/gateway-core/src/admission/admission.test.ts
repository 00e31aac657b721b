import { collectGarbage } from '@fairlead/vitest/collect-garbage'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { GrantLimits } from '../grants/limits.ts'
import { ordinaryCost } from '../usage/units.ts'
import { isRejection } from './types.ts'
import { admissionWith, begin, call, grantWith } from '../testing/limited-grant.ts'

const noon = Date.UTC(2026, 10, 21, 12)

beforeEach(() => vi.useFakeTimers({ now: noon }))
afterEach(() => vi.useRealTimers())

function grantWithin(limits: GrantLimits, credentialId = 'credential') {
  return grantWith({ credentialId, limits })
}

/** Returns how many of the calls are admitted. */
function passing(count: number, tryCall: () => unknown): number {
  return Array.from({ length: count }, tryCall).filter((result) => result === 'passed').length
}

describe('a rate', () => {
  it('admits a burst, and then calls at the rate', () => {
    const admission = admissionWith()
    const grant = grantWithin({ credential: { rate: { requestsPerSecond: 10, burst: 20 } } })
    expect(passing(30, () => call(admission, grant))).toBe(20)
    vi.advanceTimersByTime(500)
    expect(passing(30, () => call(admission, grant))).toBe(5)
    expect(call(admission, grant)).toEqual({
      status: 429,
      reason: 'The credential exceeded its rate limit of 10 calls per second.',
      data: { reason: 'rate', limit: 10, window_ms: 1_000, retry_after_ms: 100 },
      retryAfterSeconds: 1,
    })
    vi.advanceTimersByTime(100)
    expect(call(admission, grant)).toBe('passed')
  })

  it('applies to the credential, the node and the project, and all of them must admit a call', () => {
    const admission = admissionWith()
    const limits = { node: { rate: { requestsPerSecond: 3 } }, project: { rate: { requestsPerSecond: 5 } } }
    const [one, other] = [grantWithin(limits, 'one'), grantWithin(limits, 'other')]
    const ofOtherNode = grantWith({
      nodeId: 'other',
      credentialId: 'third',
      limits: { project: limits.project },
    })
    expect(passing(2, () => call(admission, one))).toBe(2)
    expect(passing(2, () => call(admission, other))).toBe(1)
    expect(passing(9, () => call(admission, ofOtherNode))).toBe(2)
  })

  it('is refunded when a later limit rejects the call', () => {
    const admission = admissionWith()
    const grant = grantWithin({
      credential: { rate: { requestsPerSecond: 1, burst: 10 }, requestsPerDay: 10 },
      project: { rate: { requestsPerSecond: 1, burst: 2 } },
    })
    expect(passing(8, () => call(admission, grant))).toBe(2)
    const free = grantWith({ limits: { credential: grant.limits?.credential }, projectId: 'other' })
    expect(passing(20, () => call(admission, free))).toBe(8)
  })

  it('of a method applies in addition to the overall limit, and to all methods of a pattern together', () => {
    const admission = admissionWith()
    const grant = grantWithin({
      credential: {
        methodRates: { 'debug_*': { requestsPerSecond: 2 }, eth_call: { requestsPerSecond: 1 } },
      },
      node: { rate: { requestsPerSecond: 6 } },
    })
    expect(call(admission, grant, 'debug_traceCall')).toBe('passed')
    expect(call(admission, grant, 'debug_traceBlock')).toBe('passed')
    expect(call(admission, grant, 'debug_traceCall')).toMatchObject({
      reason: 'The credential exceeded its limit of 2 calls per second for debug_*.',
    })
    expect(passing(5, () => call(admission, grant, 'eth_call'))).toBe(1)
    expect(passing(9, () => call(admission, grant))).toBe(3)
    expect(call(admission, grant)).toMatchObject({
      reason: 'The node exceeded its rate limit of 6 calls per second.',
    })
  })

  it('is the default of the gateway for a credential without one', () => {
    const admission = admissionWith({ requestsPerSecond: 2 })
    expect(passing(5, () => call(admission, grantWith()))).toBe(2)
    const limited = grantWith({
      credentialId: 'own',
      limits: { credential: { rate: { requestsPerSecond: 4 } } },
    })
    expect(passing(5, () => call(admission, limited))).toBe(4)
  })

  it('changes with the grant, without granting additional calls', () => {
    const admission = admissionWith()
    const of = (requestsPerSecond: number) => grantWithin({ credential: { rate: { requestsPerSecond } } })
    expect(passing(9, () => call(admission, of(4)))).toBe(4)
    expect(passing(9, () => call(admission, of(4)))).toBe(0)
    // A higher limit applies at once.
    expect(passing(9, () => call(admission, of(6)))).toBe(2)
    expect(passing(9, () => call(admission, of(1)))).toBe(0)
  })

  it('is retained while it has state, and does not reset', () => {
    const admission = admissionWith()
    const grant = grantWithin({ credential: { rate: { requestsPerSecond: 0.01, burst: 5 } } })
    expect(passing(9, () => call(admission, grant))).toBe(5)
    vi.advanceTimersByTime(130_000)
    expect(passing(9, () => call(admission, grant))).toBe(1)
  })
})

describe('a quota', () => {
  it('of requests ends at midnight, of units with the month', () => {
    const admission = admissionWith({ isWeighted: true })
    const grant = grantWithin({ credential: { requestsPerDay: 3 }, project: { unitsPerMonth: 9 } })
    const cost = { units: 5, isExpensive: false }
    expect(call(admission, grant, 'debug_traceCall', cost)).toBe('passed')
    // Too expensive, but a cheaper call fits.
    expect(call(admission, grant, 'debug_traceCall', cost)).toMatchObject({
      status: 403,
      reason: 'The project has used up its quota of units for this month.',
      data: { reason: 'quota', resets_at: '2026-12-01T00:00:00.000Z' },
    })
    expect(passing(5, () => call(admission, grant))).toBe(2)
    expect(call(admission, grant)).toMatchObject({
      data: { reason: 'quota', resets_at: '2026-11-22T00:00:00.000Z' },
    })
    vi.setSystemTime(Date.UTC(2026, 10, 22))
    expect(passing(5, () => call(admission, grant))).toBe(2)
    vi.setSystemTime(Date.UTC(2026, 11, 1))
    expect(passing(5, () => call(admission, grant))).toBe(3)
  })

  it('resumes from the recorded usage, and includes the usage of other replicas', () => {
    let written = 7
    const admission = admissionWith({ usedSoFar: () => written })
    const grant = grantWithin({ node: { requestsPerDay: 10 } })
    expect(passing(2, () => call(admission, grant))).toBe(2)
    written = 10
    vi.advanceTimersByTime(5_000)
    expect(call(admission, grant)).toMatchObject({ data: { reason: 'quota' } })
  })

  it('counts server-sent messages without delaying them, and reports when the quota is exhausted', () => {
    const admission = admissionWith()
    const grant = grantWithin({ credential: { requestsPerDay: 1, unitsPerMonth: 3 } })
    expect(call(admission, grant, 'eth_subscribe')).toBe('passed')
    expect(admission.push(grant, 2)).toBeUndefined()
    expect(admission.push(grant, 1)).toMatchObject({ data: { reason: 'quota' } })
    expect(admission.push(grantWith(), 1)).toBeUndefined()
  })

  it('tolerates a clock that is set back', () => {
    const admission = admissionWith({ usedSoFar: () => 2 })
    const grant = grantWithin({ credential: { requestsPerDay: 3 } })
    expect(passing(3, () => call(admission, grant))).toBe(1)
    vi.setSystemTime(Date.UTC(2026, 10, 20, 23, 59))
    expect(passing(3, () => call(admission, grant))).toBe(1)
  })
})

describe('rates of methods', () => {
  it('do not cache long unknown method names', () => {
    const admission = admissionWith()
    const grant = grantWithin({ credential: { methodRates: { 'eth_*': { requestsPerSecond: 1 } } } })
    const used = () => {
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = used()
    for (let made = 0; made < 100; made++) {
      call(admission, grant, Buffer.alloc(1_000_000, `${made} `).toString('latin1'))
    }
    expect(used() - before).toBeLessThan(50_000_000)
  })
})

describe('a credential that ends', () => {
  it('ends queued calls without charging them', async () => {
    let isValid = true
    const admission = admissionWith({ isGrantValid: () => isValid })
    const grant = grantWithin({ credential: { maxConcurrentCalls: 1, requestsPerDay: 2 } })
    const held = begin(admission, grant)
    const waiting = admission.admit(grant, 'eth_chainId', ordinaryCost, new AbortController().signal)
    isValid = false
    if (!isRejection(held)) held.release()
    expect(await waiting).toMatchObject({ status: 401 })
    isValid = true
    expect(passing(3, () => call(admission, grant))).toBe(1)
  })
})

describe('a rule for methods', () => {
  it('rejects before any limit is charged', () => {
    const admission = admissionWith()
    const accessRules = [{ kind: 'method', value: 'debug_*', action: 'deny' }] as const
    const grant = grantWith({ accessRules, limits: { credential: { rate: { requestsPerSecond: 1 } } } })
    expect(call(admission, grant, 'debug_traceCall')).toEqual({
      status: 403,
      reason: 'The access rules of this node do not allow this method.',
      data: { rule: 'method' },
    })
    expect(call(admission, grant)).toBe('passed')
    expect(admission.admitStream(grant, 'debug_subscribe', ordinaryCost)).toMatchObject({
      data: { rule: 'method' },
    })
    expect(call(admission, grant)).toMatchObject({ status: 429 })
    expect(admission.states().rejections).toMatchObject({ method: 2, rate: 1, quota: 0, overloaded: 0 })
  })
})

const expensive = { units: 2, isExpensive: true }

describe('overload', () => {
  it('rejects expensive calls first', () => {
    const load = { isOverloaded: true, close: () => undefined }
    const admission = admissionWith({ load })
    expect(call(admission, grantWith(), 'debug_traceCall', expensive)).toMatchObject({
      status: 503,
      data: { reason: 'busy', retry_after_ms: 1_000 },
      retryAfterSeconds: 1,
    })
    expect(call(admission, grantWith(), 'eth_chainId')).toBe('passed')
    load.isOverloaded = false
    expect(call(admission, grantWith(), 'debug_traceCall', expensive)).toBe('passed')
    expect(admission.states().rejections.overloaded).toBe(1)
  })

  it('is also a long queue', async () => {
    const admission = admissionWith({ maxQueuedCalls: 2 })
    const full = grantWith({ credentialId: 'full', limits: { credential: { maxConcurrentCalls: 1 } } })
    const held = begin(admission, full)
    const { signal } = new AbortController()
    const waiting = [
      admission.admit(full, 'eth_chainId', ordinaryCost, signal),
      admission.admit(full, 'eth_chainId', ordinaryCost, signal),
    ]
    expect(call(admission, grantWith(), 'debug_traceCall', expensive)).toMatchObject({ status: 503 })
    expect(call(admission, full)).toMatchObject({
      status: 503,
      reason: 'The queue of calls is full. Try again later.',
    })
    expect(call(admission, grantWith())).toBe('passed')
    if (!isRejection(held)) held.release()
    const first = await waiting[0]
    if (first && !isRejection(first)) first.release()
    expect(await waiting[1]).toHaveProperty('release')
  })
})
