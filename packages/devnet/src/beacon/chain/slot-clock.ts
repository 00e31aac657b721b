import { setTimeout as sleep } from 'node:timers/promises'
import type { Slot } from '@lodestar/types'
import type { ClockEnd } from './beacon-chain.ts'
import { slotPhases, type SlotPhase } from './slot-work.ts'

// Further behind, the missed slots stay empty: work does not pile up while a computer sleeps.
const mostSlotsBehind = 8
// So long without the chain, as when a computer sleeps, and nobody waits for it any more; the validators would lose for
// their absence, in the end all that they have. A clock that was set back would keep the chain waiting.
const mostDriftMs = 3_600_000

/** What the clock drives. */
export interface SlotClockOptions {
  /** Unix time in milliseconds. */
  readonly genesisTimeMs: number
  readonly slotMs: number
  /** The slot to begin with. */
  readonly firstSlot: Slot
  /** Does the work of one phase. */
  readonly onPhase: (slot: Slot, phase: SlotPhase) => Promise<void>
  /** Hears what `onPhase` throws; the clock goes on. */
  readonly onFault: (error: unknown) => void
}

/**
 * Calls for the work of each phase of each slot when its time has come, one after the other; what is due already is
 * done at once.
 *
 * @param options See {@link SlotClockOptions}.
 * @param signal Ends it.
 * @returns When it has ended, and why.
 */
export async function followClock(options: SlotClockOptions, signal: AbortSignal): Promise<ClockEnd> {
  const { genesisTimeMs, slotMs, onPhase, onFault } = options
  let slot = options.firstSlot
  while (!signal.aborted) {
    for (const [position, phase] of slotPhases.entries()) {
      const dueAt = genesisTimeMs + (slot + position / slotPhases.length) * slotMs
      if (Math.abs(dueAt - Date.now()) > mostDriftMs) return 'lost'
      // Also without a wait the thread has others to serve.
      await sleep(Math.max(0, dueAt - Date.now()), undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return 'stopped'
      await onPhase(slot, phase).catch(onFault)
    }
    const current = Math.floor((Date.now() - genesisTimeMs) / slotMs)
    slot = current - slot > mostSlotsBehind ? current : slot + 1
  }
  return 'stopped'
}
