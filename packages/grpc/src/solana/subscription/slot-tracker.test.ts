import { expect, it } from 'vitest'
import { blockhashOf, slotUpdates } from '../testing/chain.ts'
import { createSlotTracker } from './slot-tracker.ts'

it('stores three complete blocks, and evicts slots that never become complete', () => {
  const tracker = createSlotTracker(() => {})
  const processUpdates = (slot: bigint, from: number) => {
    for (const update of slotUpdates(slot).slice(from)) tracker.process(update, [])
  }
  for (let slot = 1n; slot <= 5n; slot++) processUpdates(slot, 0)
  expect(tracker.resumeSlot).toBe(3n)
  expect(tracker.checkpoint).toEqual({ slot: '3', blockhash: blockhashOf(3n) })
  // Of the following slots, only the status is reported.
  for (let slot = 6n; slot <= 9_000n; slot++) processUpdates(slot, -1)
  expect(tracker.resumeSlot).toBe(3n)
  for (let slot = 9_001n; slot <= 20_000n; slot++) processUpdates(slot, -1)
  expect(tracker.resumeSlot).toBeGreaterThan(9_000n)
})
