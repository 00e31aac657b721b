import { describe, expect, it } from 'vitest'
import { AdaptivePipelining } from './adaptive-pipelining.ts'

/** Responses arrive in bursts: all queued responses arrive with the first one. */
function responseBursts(
  pace: AdaptivePipelining,
  { length, firstMs }: { length: number; firstMs: number },
  count = 20,
): void {
  for (let burst = 0; burst < count; burst++) {
    pace.onResponse(firstMs, true)
    for (let index = 1; index < length; index++) pace.onResponse(0, false)
  }
}

describe('the pipeline depth', () => {
  it('is at its maximum before measurements, and at a fast upstream', () => {
    const pace = new AdaptivePipelining()
    expect(pace.pipelineDepth).toBe(64)
    responseBursts(pace, { length: 4, firstMs: 0.1 })
    expect(pace.pipelineDepth).toBe(64)
  })

  it('does not decrease at an overloaded upstream that responds in bursts', () => {
    for (const length of [8, 16, 32]) {
      const pace = new AdaptivePipelining()
      responseBursts(pace, { length, firstMs: 25 })
      expect(pace.pipelineDepth).toBeGreaterThanOrEqual(length)
    }
  })

  it.each([5, 20, 200])('is one when each call adds %d ms', (ms) => {
    const pace = new AdaptivePipelining()
    for (let index = 0; index < 100; index++) pace.onResponse(ms, index % 2 === 0)
    expect(pace.pipelineDepth).toBe(1)
  })

  it('is the number of calls that fit into four milliseconds at a sequential upstream', () => {
    const pace = new AdaptivePipelining()
    for (let index = 0; index < 200; index++) pace.onResponse(0.9, index % 4 === 0)
    expect(pace.pipelineDepth).toBe(4)
  })

  it('is one after a reset of pipelined calls, and grows again', () => {
    const pace = new AdaptivePipelining()
    pace.onReset(1)
    expect(pace.pipelineDepth).toBe(1)
    for (let index = 0; index < 64; index++) pace.onResponse(0, false)
    expect(pace.pipelineDepth).toBe(3)
  })
})

describe('a connection', () => {
  it('is stalled when its first call takes longer than usual for this upstream', () => {
    const [fast, slow, distant] = [
      new AdaptivePipelining(),
      new AdaptivePipelining(),
      new AdaptivePipelining(),
    ]
    responseBursts(fast, { length: 4, firstMs: 0.1 }, 100)
    responseBursts(slow, { length: 4, firstMs: 30 }, 100)
    responseBursts(distant, { length: 4, firstMs: 300 }, 100)
    expect([fast, slow, distant].map((pace) => pace.isStalled(0, 11))).toEqual([true, false, false])
    expect([fast, slow, distant].map((pace) => pace.isStalled(0, 50))).toEqual([true, true, false])
    expect(distant.isStalled(0, 101)).toBe(true)
  })
})

it('periodically measures whether an upstream has become faster', () => {
  const pace = new AdaptivePipelining()
  for (let index = 0; index < 100; index++) pace.onResponse(20, index % 2 === 0)
  expect([5_000, 5_500, 6_000, 6_500].map((now) => pace.shouldTest(now))).toEqual([false, false, true, false])
  for (let index = 0; index < 4; index++) pace.onResponse(0.01, false)
  expect(pace.pipelineDepth).toBeGreaterThan(1)
  expect(pace.shouldTest(9_000)).toBe(false)
})
