import { describe, expect, it } from 'vitest'
import { AdaptivePipelining } from './adaptive-pipelining.ts'

/** Responses arrive in bursts: all queued responses arrive with the first one. */
function answerBursts(
  pace: AdaptivePipelining,
  { length, firstMs }: { length: number; firstMs: number },
  count = 20,
): void {
  for (let burst = 0; burst < count; burst++) {
    pace.onAnswered(firstMs, true)
    for (let place = 1; place < length; place++) pace.onAnswered(0, false)
  }
}

describe('the depth of a line', () => {
  it('is as great as it may be as long as nothing is known, and at an upstream that is quick', () => {
    const pace = new AdaptivePipelining()
    expect(pace.pipelineDepth).toBe(64)
    answerBursts(pace, { length: 4, firstMs: 0.1 })
    expect(pace.pipelineDepth).toBe(64)
  })

  it('stays at least what it is at an upstream that has too much to do and answers in bursts', () => {
    for (const length of [8, 16, 32]) {
      const pace = new AdaptivePipelining()
      answerBursts(pace, { length, firstMs: 25 })
      expect(pace.pipelineDepth).toBeGreaterThanOrEqual(length)
    }
  })

  it.each([5, 20, 200])('is one where each call takes %d ms behind the other', (ms) => {
    const pace = new AdaptivePipelining()
    for (let answer = 0; answer < 100; answer++) pace.onAnswered(ms, answer % 2 === 0)
    expect(pace.pipelineDepth).toBe(1)
  })

  it('is what fits into four milliseconds where calls are worked on one after the other', () => {
    const pace = new AdaptivePipelining()
    for (let answer = 0; answer < 200; answer++) pace.onAnswered(0.9, answer % 4 === 0)
    expect(pace.pipelineDepth).toBe(4)
  })

  it('is one after calls in line were cut off, and grows again', () => {
    const pace = new AdaptivePipelining()
    pace.onReset(1)
    expect(pace.pipelineDepth).toBe(1)
    for (let answer = 0; answer < 64; answer++) pace.onAnswered(0, false)
    expect(pace.pipelineDepth).toBe(3)
  })
})

describe('a connection', () => {
  it('is stalled when its first call takes long for this upstream', () => {
    const [quick, slow, distant] = [
      new AdaptivePipelining(),
      new AdaptivePipelining(),
      new AdaptivePipelining(),
    ]
    answerBursts(quick, { length: 4, firstMs: 0.1 }, 100)
    answerBursts(slow, { length: 4, firstMs: 30 }, 100)
    answerBursts(distant, { length: 4, firstMs: 300 }, 100)
    expect([quick, slow, distant].map((pace) => pace.isStalled(0, 11))).toEqual([true, false, false])
    expect([quick, slow, distant].map((pace) => pace.isStalled(0, 50))).toEqual([true, true, false])
    expect(distant.isStalled(0, 101)).toBe(true)
  })
})

it('finds out now and then whether an upstream has become quicker', () => {
  const pace = new AdaptivePipelining()
  for (let answer = 0; answer < 100; answer++) pace.onAnswered(20, answer % 2 === 0)
  expect([5_000, 5_500, 6_000, 6_500].map((now) => pace.shouldTest(now))).toEqual([false, false, true, false])
  for (let answer = 0; answer < 4; answer++) pace.onAnswered(0.01, false)
  expect(pace.pipelineDepth).toBeGreaterThan(1)
  expect(pace.shouldTest(9_000)).toBe(false)
})
