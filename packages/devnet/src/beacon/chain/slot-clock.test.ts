import { expect, it, onTestFinished } from 'vitest'
import { followClock } from './slot-clock.ts'

const slotMs = 90

function follow(of: { startedSlotsAgo: number; firstSlot: number; onPhase?: (call: string) => void }) {
  const calls: { call: string; at: number }[] = []
  const faults: unknown[] = []
  const stopping = new AbortController()
  const genesisTimeMs = Date.now() - of.startedSlotsAgo * slotMs
  const ended = followClock(
    {
      genesisTimeMs,
      slotMs,
      firstSlot: of.firstSlot,
      onPhase: async (slot, phase) => {
        calls.push({ call: `${slot} ${phase}`, at: Date.now() - genesisTimeMs })
        of.onPhase?.(`${slot} ${phase}`)
      },
      onFault: (error) => faults.push(error),
    },
    stopping.signal,
  )
  onTestFinished(() => stopping.abort())
  return { calls, faults, stopping, ended }
}

it('runs the phases in order, at their scheduled times', async () => {
  const { calls, stopping, ended } = follow({ startedSlotsAgo: 0, firstSlot: 1 })
  await expect.poll(() => calls.length).toBeGreaterThan(7)
  stopping.abort()
  await expect(ended).resolves.toBe('stopped')
  expect(calls.slice(0, 4).map(({ call }) => call)).toEqual([
    '1 propose',
    '1 attest',
    '1 aggregate',
    '2 propose',
  ])
  for (const [position, { at }] of calls.entries()) {
    // The system's timers and its clock may differ by a millisecond.
    expect(at).toBeGreaterThanOrEqual(slotMs + (position * slotMs) / 3 - 2)
  }
})

it('catches up on a few missed slots and skips many', async () => {
  const few = follow({ startedSlotsAgo: 5, firstSlot: 1 })
  const many = follow({ startedSlotsAgo: 500, firstSlot: 1 })
  const slots = (calls: { call: string }[]) => [
    ...new Set(calls.map(({ call }) => Number.parseInt(call, 10))),
  ]
  await expect.poll(() => slots(few.calls).length).toBeGreaterThan(4)
  await expect.poll(() => slots(many.calls).length).toBeGreaterThan(1)
  expect(slots(few.calls).slice(0, 5)).toEqual([1, 2, 3, 4, 5])
  expect(slots(many.calls)[1]).toBeGreaterThanOrEqual(500)
  expect(many.calls.length).toBeLessThan(20)
})

it.each([
  ['slept for more than an hour', 41_000],
  ['was set back by more than an hour', -41_000],
])('is lost when the computer %s', async (_title, startedSlotsAgo) => {
  const { calls, ended } = follow({ startedSlotsAgo, firstSlot: 1 })
  await expect(ended).resolves.toBe('lost')
  expect(calls).toEqual([])
})

it('continues after an error', async () => {
  const { calls, faults } = follow({
    startedSlotsAgo: 2,
    firstSlot: 1,
    onPhase: (call) => {
      if (call === '1 attest') throw new Error('a fault')
    },
  })
  await expect.poll(() => calls.length).toBeGreaterThan(4)
  expect(faults).toEqual([new Error('a fault')])
})
