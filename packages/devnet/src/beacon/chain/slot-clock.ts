import { setTimeout as sleep } from 'node:timers/promises'
import type { Slot } from '@lodestar/types'
import type { ClockEnd } from './beacon-chain.ts'
import { slotPhases, type SlotPhase } from './slot-work.ts'

// With a larger lag, the missed slots stay empty, so that work does not accumulate while a computer sleeps.
const maxSlotsBehind = 8
// After this time without the chain, for example while a computer sleeps, no client waits for it any more. The
// validators would receive penalties for their absence until they lose their whole balance. A clock that was set back
// would make the chain wait.
const maxDriftMs = 3_600_000

/** The parameters of the clock loop. */
export interface SlotClockOptions {
  /** Unix time in milliseconds. */
  readonly genesisTimeMs: number
  readonly slotMs: number
  /** The first slot to process. */
  readonly firstSlot: Slot
  /** Does the work of one phase. */
  readonly onPhase: (slot: Slot, phase: SlotPhase) => Promise<void>
  /** Called with errors that `onPhase` throws; the clock continues. */
  readonly onFault: (error: unknown) => void
}

/**
 * Runs the work of each phase of each slot at its time, one after the other; overdue work runs immediately.
 *
 * @param options See {@link SlotClockOptions}.
 * @param signal Stops the clock.
 * @returns The reason, once the clock has stopped.
 */
export async function followClock(options: SlotClockOptions, signal: AbortSignal): Promise<ClockEnd> {
  const { genesisTimeMs, slotMs, onPhase, onFault } = options
  let slot = options.firstSlot
  while (!signal.aborted) {
    for (const [position, phase] of slotPhases.entries()) {
      const dueAt = genesisTimeMs + (slot + position / slotPhases.length) * slotMs
      if (Math.abs(dueAt - Date.now()) > maxDriftMs) return 'lost'
      // Even without a wait, the thread must run its other tasks.
      await sleep(Math.max(0, dueAt - Date.now()), undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return 'stopped'
      await onPhase(slot, phase).catch(onFault)
    }
    const current = Math.floor((Date.now() - genesisTimeMs) / slotMs)
    slot = current - slot > maxSlotsBehind ? current : slot + 1
  }
  return 'stopped'
}
