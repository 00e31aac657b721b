import { describe, expect, it } from 'vitest'
import { ProgressDeadlines, type TransferClient } from './progress-deadlines.ts'

const limits = { stallMs: 30_000, minBytesPerSecond: 1_024 }

/** Simulates a transfer second by second; returns after how many seconds it was ended. */
function play(
  seconds: number,
  step: (second: number, transfer: { moved: number; due: number }) => void,
  client?: TransferClient,
): number | undefined {
  let now = 0
  let ended: number | undefined
  const transfer = { moved: 0, due: 0 }
  const deadlines = new ProgressDeadlines(limits, () => now)
  const stop = deadlines.watch(
    { moved: () => transfer.moved, due: () => transfer.due, client },
    () => (ended ??= now / 1_000),
  )
  for (let second = 1; second <= seconds; second++) {
    now = second * 1_000
    step(second, transfer)
    deadlines.check()
  }
  stop()
  expect(deadlines.size).toBe(0)
  return ended
}

describe('a transfer', () => {
  it('without pending data is never ended', () => {
    expect(play(100_000, () => undefined)).toBeUndefined()
  })

  it('without progress is ended after the longest stall', () => {
    expect(play(100, (_, transfer) => (transfer.due = 1))).toBe(31)
  })

  it.each([
    [true, 31],
    [false, 11],
  ])(
    'of a client that is authenticated (%s) is ended after %d s without progress',
    (isAuthenticated, ended) => {
      const client = { isAuthenticated: () => isAuthenticated, hold: () => true }
      expect(play(100, (_, transfer) => (transfer.due = 1), client)).toBe(ended)
    },
  )

  it('is ended when its client may not hold the pending bytes', () => {
    const client = { isAuthenticated: () => true, hold: (bytes: number) => bytes < 5_000 }
    const step = (second: number, transfer: { moved: number; due: number }) => {
      transfer.moved += 10_000
      transfer.due = second * 1_000
    }
    expect(play(100, step, client)).toBe(5)
  })

  it('of a large chunk has a longer limit, because its progress is reported at its end', () => {
    expect(play(1_000, (_, transfer) => (transfer.due = 65_536 * 60))).toBe(91)
  })

  it('that trickles is ended by the mean rate, a slow one is not', () => {
    const trickle = (bytes: number) =>
      play(1_000, (_, transfer) => {
        transfer.due = 65_536
        transfer.moved += bytes
      })
    expect(trickle(1)).toBe(32)
    expect(trickle(100)).toBe(35)
    expect(trickle(1_024)).toBeUndefined()
  })

  it('restarts after a period without pending data', () => {
    const ended = play(200, (second, transfer) => (transfer.due = second % 20 === 0 ? 0 : 1))
    expect(ended).toBeUndefined()
  })

  it('is ended once, and others continue', () => {
    let now = 0
    const ended: string[] = []
    const deadlines = new ProgressDeadlines(limits, () => now)
    deadlines.watch({ moved: () => 0, due: () => 1 }, () => ended.push('stalled'))
    deadlines.watch({ moved: () => now * 100, due: () => 1 }, () => ended.push('fast'))
    for (now = 1_000; now < 100_000; now += 1_000) deadlines.check()
    expect(ended).toEqual(['stalled'])
    expect(deadlines.size).toBe(1)
  })
})
