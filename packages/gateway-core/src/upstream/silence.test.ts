import { describe, expect, it } from 'vitest'
import { Silence } from './silence.ts'

const stepMs = 50
const quickCall = { elapsedMs: stepMs, lastBytesAt: 1, isWaiting: true, isQuickWaiting: true, limitMs: 500 }
const slowCall = { ...quickCall, isQuickWaiting: false }

/** Checks once so that the byte is known, then repeatedly for a time. */
function after(ms: number, facts: typeof quickCall, silence = new Silence()) {
  silence.observe({ ...facts, elapsedMs: 0 })
  let probes = 0
  for (let passed = 0; passed < ms; passed += stepMs) if (silence.observe(facts)) probes += 1
  return { silence, probes }
}

describe('an upstream', () => {
  it('is silent when a short call has waited longer than the limit without a byte', () => {
    expect(after(500, quickCall).silence.isSilent).toBe(false)
    expect(after(550, quickCall).silence.isSilent).toBe(true)
    expect(after(1_200, { ...quickCall, limitMs: 1_200 }).silence.isSilent).toBe(false)
    expect(after(1_250, { ...quickCall, limitMs: 1_200 }).silence.isSilent).toBe(true)
  })

  it('is not silent while any byte arrives, regardless of the duration of its calls', () => {
    const silence = new Silence()
    for (let lastBytesAt = 1; lastBytesAt < 100; lastBytesAt += 1) {
      after(450, { ...quickCall, lastBytesAt }, silence)
      expect(silence.isSilent).toBe(false)
    }
  })

  it('is not silent without a call that waits', () => {
    expect(after(60_000, { ...quickCall, isWaiting: false, isQuickWaiting: false })).toMatchObject({
      silence: { isSilent: false },
      probes: 0,
    })
  })

  it('receives a probe during long calls, and is silent when the probe receives no response either', () => {
    const { silence, probes } = after(500, slowCall)
    expect([probes, silence.isSilent]).toEqual([1, false])
    // The probe is waiting now.
    for (let passed = 0; passed < 550; passed += stepMs) silence.observe(quickCall)
    expect(silence.isSilent).toBe(true)
  })

  it('receives two probes per second while it is silent, and is responsive again with the first byte', () => {
    const { silence } = after(550, quickCall)
    let probes = 0
    for (let passed = 0; passed < 5_000; passed += stepMs) {
      if (silence.observe({ ...quickCall, isWaiting: false, isQuickWaiting: false })) probes += 1
    }
    expect([probes, silence.isSilent]).toEqual([10, true])
    silence.observe({ ...quickCall, lastBytesAt: 2 })
    expect(silence.isSilent).toBe(false)
  })
})
