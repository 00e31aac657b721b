import { describe, expect, it } from 'vitest'
import { Silence } from './silence.ts'

const stepMs = 50
const shortCall = { lastBytesAt: 1, isWaiting: true, isShortWaiting: true, limitMs: 500 }
const longCall = { ...shortCall, isShortWaiting: false }

/** A `Silence` with a simulated clock. */
function observed() {
  const silence = new Silence()
  let now = 0
  const step = (facts: typeof shortCall) => silence.observe({ ...facts, now: (now += stepMs) })
  return { silence, step, repeat: (facts: typeof shortCall) => silence.observe({ ...facts, now }) }
}

/** Checks once so that the byte is known, then repeatedly for a time. */
function after(ms: number, facts: typeof shortCall, { silence, step, repeat } = observed()) {
  repeat(facts)
  let probes = 0
  for (let passed = 0; passed < ms; passed += stepMs) if (step(facts)) probes += 1
  return { silence, probes, step, repeat }
}

describe('an upstream', () => {
  it('is silent when a short call has waited longer than the limit without a byte', () => {
    expect(after(500, shortCall).silence.isSilent).toBe(false)
    expect(after(550, shortCall).silence.isSilent).toBe(true)
    expect(after(1_200, { ...shortCall, limitMs: 1_200 }).silence.isSilent).toBe(false)
    expect(after(1_250, { ...shortCall, limitMs: 1_200 }).silence.isSilent).toBe(true)
  })

  it('is not silent while any byte arrives, regardless of the duration of its calls', () => {
    const checked = observed()
    for (let lastBytesAt = 1; lastBytesAt < 100; lastBytesAt += 1) {
      after(450, { ...shortCall, lastBytesAt }, checked)
      expect(checked.silence.isSilent).toBe(false)
    }
  })

  it('is not silent without a call that waits', () => {
    expect(after(60_000, { ...shortCall, isWaiting: false, isShortWaiting: false })).toMatchObject({
      silence: { isSilent: false },
      probes: 0,
    })
  })

  it('receives a probe during long calls, and is silent when the probe receives no response either', () => {
    const { silence, probes, step } = after(500, longCall)
    expect([probes, silence.isSilent]).toEqual([1, false])
    // The probe is waiting now.
    for (let passed = 0; passed < 550; passed += stepMs) step(shortCall)
    expect(silence.isSilent).toBe(true)
  })

  it('receives two probes per second while it is silent, and is responsive repeat with the first byte', () => {
    const { silence, step } = after(550, shortCall)
    let probes = 0
    for (let passed = 0; passed < 5_000; passed += stepMs) {
      if (step({ ...shortCall, isWaiting: false, isShortWaiting: false })) probes += 1
    }
    expect([probes, silence.isSilent]).toEqual([10, true])
    step({ ...shortCall, lastBytesAt: 2 })
    expect(silence.isSilent).toBe(false)
  })

  it('counts time once, however many pools check it, and no time without a check', () => {
    const { silence, step, repeat } = observed()
    repeat(shortCall)
    for (let passed = 0; passed < 500; passed += stepMs) {
      step(shortCall)
      for (let pools = 0; pools < 10; pools++) repeat(shortCall)
    }
    expect(silence.isSilent).toBe(false)
    const unchecked = new Silence()
    for (const now of [0, 60_000, 120_000]) unchecked.observe({ ...shortCall, now })
    expect(unchecked.isSilent).toBe(false)
  })
})
