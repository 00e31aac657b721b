import { describe, expect, it } from 'vitest'
import { Silence } from './silence.ts'

const stepMs = 50
const quickCall = { lastBytesAt: 1, isWaiting: true, isQuickWaiting: true, limitMs: 500 }
const slowCall = { ...quickCall, isQuickWaiting: false }

/** A `Silence` with a simulated clock. */
function observed() {
  const silence = new Silence()
  let now = 0
  const step = (facts: typeof quickCall) => silence.observe({ ...facts, now: (now += stepMs) })
  return { silence, step, again: (facts: typeof quickCall) => silence.observe({ ...facts, now }) }
}

/** Checks once so that the byte is known, then repeatedly for a time. */
function after(ms: number, facts: typeof quickCall, { silence, step, again } = observed()) {
  again(facts)
  let probes = 0
  for (let passed = 0; passed < ms; passed += stepMs) if (step(facts)) probes += 1
  return { silence, probes, step, again }
}

describe('an upstream', () => {
  it('is silent when a short call has waited longer than the limit without a byte', () => {
    expect(after(500, quickCall).silence.isSilent).toBe(false)
    expect(after(550, quickCall).silence.isSilent).toBe(true)
    expect(after(1_200, { ...quickCall, limitMs: 1_200 }).silence.isSilent).toBe(false)
    expect(after(1_250, { ...quickCall, limitMs: 1_200 }).silence.isSilent).toBe(true)
  })

  it('is not silent while any byte arrives, regardless of the duration of its calls', () => {
    const checked = observed()
    for (let lastBytesAt = 1; lastBytesAt < 100; lastBytesAt += 1) {
      after(450, { ...quickCall, lastBytesAt }, checked)
      expect(checked.silence.isSilent).toBe(false)
    }
  })

  it('is not silent without a call that waits', () => {
    expect(after(60_000, { ...quickCall, isWaiting: false, isQuickWaiting: false })).toMatchObject({
      silence: { isSilent: false },
      probes: 0,
    })
  })

  it('receives a probe during long calls, and is silent when the probe receives no response either', () => {
    const { silence, probes, step } = after(500, slowCall)
    expect([probes, silence.isSilent]).toEqual([1, false])
    // The probe is waiting now.
    for (let passed = 0; passed < 550; passed += stepMs) step(quickCall)
    expect(silence.isSilent).toBe(true)
  })

  it('receives two probes per second while it is silent, and is responsive again with the first byte', () => {
    const { silence, step } = after(550, quickCall)
    let probes = 0
    for (let passed = 0; passed < 5_000; passed += stepMs) {
      if (step({ ...quickCall, isWaiting: false, isQuickWaiting: false })) probes += 1
    }
    expect([probes, silence.isSilent]).toEqual([10, true])
    step({ ...quickCall, lastBytesAt: 2 })
    expect(silence.isSilent).toBe(false)
  })

  it('counts time once, however many pools check it, and no time without a check', () => {
    const { silence, step, again } = observed()
    again(quickCall)
    for (let passed = 0; passed < 500; passed += stepMs) {
      step(quickCall)
      for (let pools = 0; pools < 10; pools++) again(quickCall)
    }
    expect(silence.isSilent).toBe(false)
    const late = new Silence()
    for (const now of [0, 60_000, 120_000]) late.observe({ ...quickCall, now })
    expect(late.isSilent).toBe(false)
  })
})
