import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RateBudget } from './rate-budget.ts'
import { takeSlot } from './rate-slot.ts'
import { UpstreamBusyError } from './upstream-error.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const { signal: never } = new AbortController()

/** Calls to an upstream with a rate limit, and those that were sent, in order. */
function limitedUpstream(perSecond: number | undefined) {
  const rate = new RateBudget(perSecond, () => Date.now())
  const sent: string[] = []
  const rejected: string[] = []
  const call = (name: string, signal = never) => {
    const [organizationId = '', projectId = 'project', credentialId = 'credential'] = name.split('/')
    const slot = takeSlot(rate, { organizationId, projectId, credentialId }, signal)
    if (!slot) sent.push(name)
    slot?.then(
      () => sent.push(name),
      (error: unknown) => rejected.push(`${name} ${(error as Error).name}`),
    )
  }
  return { rate, call, sent, rejected }
}

describe('the slots of an upstream at its rate limit', () => {
  it.each([1, 60, 150])(
    'are given to organizations in turn, whatever %i credentials of one wait',
    async (count) => {
      const { call, sent, rejected } = limitedUpstream(100)
      for (let at = 0; at < 300; at += 1) call(`a/${at % 7}/${at % count}`)
      expect(sent).toHaveLength(100)
      for (let at = 0; at < 6; at += 1) call('b')
      await vi.advanceTimersByTimeAsync(0)
      expect(rejected.filter((name) => name.startsWith('b'))).toEqual([])
      await vi.advanceTimersByTimeAsync(125)
      expect(sent.slice(100).filter((name) => name.startsWith('b'))).toHaveLength(6)
      await vi.advanceTimersByTimeAsync(1_000)
      // The first hundred, 87 of the next hundred that may wait, and those of the other organization.
      expect(sent).toHaveLength(193)
    },
  )

  it('are reserved in the order of arrival for one credential', async () => {
    const { call, sent } = limitedUpstream(8)
    for (let at = 0; at < 8; at += 1) call('a')
    for (const name of ['a/project/x', 'a/project/y', 'a/project/x']) call(name)
    await vi.advanceTimersByTimeAsync(125)
    expect(sent.slice(8)).toEqual(['a/project/x'])
    await vi.advanceTimersByTimeAsync(250)
    expect(sent.slice(8)).toEqual(['a/project/x', 'a/project/y', 'a/project/x'])
  })

  it('are not given to cancelled calls', async () => {
    const { call, sent, rejected } = limitedUpstream(4)
    for (let at = 0; at < 4; at += 1) call('a')
    const cancelled = new AbortController()
    call('a', cancelled.signal)
    call('b')
    cancelled.abort()
    call('c', cancelled.signal)
    await vi.advanceTimersByTimeAsync(250)
    expect([sent.slice(4), rejected]).toEqual([['b'], ['a UpstreamError', 'c UpstreamError']])
    await vi.advanceTimersByTimeAsync(2_000)
    call('d')
    expect(sent.slice(5)).toEqual(['d'])
  })

  it('are refused when a call would wait for more than a second', async () => {
    const { call, rate, rejected } = limitedUpstream(undefined)
    rate.recordRejection(1_500)
    call('a')
    await vi.advanceTimersByTimeAsync(0)
    expect(rejected).toEqual([`a ${new UpstreamBusyError(0).name}`])
  })

  it('are available to all calls after a pause that the upstream requested', async () => {
    const { call, rate, sent, rejected } = limitedUpstream(undefined)
    rate.recordRejection(500)
    for (let at = 0; at < 200; at += 1) call(at % 2 === 0 ? 'a' : 'b')
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(500)
    expect([sent.length, rejected]).toEqual([200, []])
  })
})
