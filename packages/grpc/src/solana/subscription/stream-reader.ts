import { FairleadError, pause } from '@fairlead/core'
import type { SubscribeRequest, SubscribeUpdate } from '../../generated/geyser.ts'
import type { Checkpoint } from './checkpoint.ts'
import { type Connection, type GeyserCalls, openConnection } from './connection.ts'
import { isLagging } from './fault.ts'
import type { GeyserNotice } from './notice.ts'
import type { GeyserSubscriptionOptions } from './options.ts'
import { createOutage } from './outage.ts'
import { createReplayPlan } from './replay-plan.ts'
import type { SlotTracker } from './slot-tracker.ts'

/** Shared state of a subscription and its reader. */
export interface StreamState {
  /** The current filters, whatever other request was sent last. */
  request: SubscribeRequest
  connection: Connection | undefined
  /** The position of the reader. */
  checkpoint: Checkpoint | undefined
  /** Whether the call was closed in order to apply new filters. */
  reopen: boolean
}

export interface StreamContext {
  readonly state: StreamState
  readonly tracker: SlotTracker
  readonly notify: (notice: GeyserNotice) => void
  readonly stop: AbortSignal
}

/**
 * Creates the function that returns one update after the other, over as many calls as needed. It must not be called
 * before its last promise has settled, nor after a rejection: with a permanent fault, or the reason of `stop`.
 */
export function createStreamReader(
  calls: GeyserCalls,
  options: GeyserSubscriptionOptions,
  { state, tracker, notify, stop }: StreamContext,
): () => Promise<SubscribeUpdate> {
  const { checkpoint: store, metadata, reconnect } = options
  const { duplex = true, pingMs = 15_000, silentMs = 60_000 } = options
  const { maxAttempts = Infinity } = reconnect ?? {}
  const plan = createReplayPlan(calls, tracker, options)
  const outage = createOutage(reconnect)
  // The updates that the last message produced, and the number of those already returned.
  const out: SubscribeUpdate[] = []
  let returned = 0
  let started = false
  let connected = false
  let arrived = false
  let fromSlot: bigint | undefined

  const start = async () => {
    started = true
    stop.throwIfAborted()
    const stored = await store?.load()
    if (stored) tracker.startAt(slotOf(stored), stored.blockhash)
    else if (options.fromSlot !== undefined) tracker.startAt(options.fromSlot)
    state.checkpoint = tracker.checkpoint ?? stored
  }

  const open = () => {
    stop.throwIfAborted()
    fromSlot = tracker.resumeSlot
    arrived = false
    state.reopen = false
    const first = { ...state.request, fromSlot }
    return openConnection(calls, first, { metadata, duplex, pingMs, silentMs, signal: stop })
  }

  const onFirstUpdate = () => {
    arrived = true
    const { startedAt } = outage
    if (!connected) notify({ kind: 'connected', fromSlot })
    else if (startedAt !== undefined)
      notify({ kind: 'resumed', fromSlot, outageMs: performance.now() - startedAt })
    connected = true
  }

  const accept = (update: SubscribeUpdate) => {
    if (!arrived) onFirstUpdate()
    const gap = plan.gapBefore(update)
    if (gap) notify(gap)
    const { progress } = tracker
    tracker.process(update, out)
    if (tracker.progress !== progress) outage.end()
  }

  /** Saves the start slot, because a process may end before its first blocks are complete. */
  const saveStart = async () => {
    const { resumeSlot } = tracker
    if (resumeSlot === undefined) return
    state.checkpoint = { slot: String(resumeSlot) }
    await store?.save(state.checkpoint)
  }

  const recover = async ({ fault }: Connection) => {
    stop.throwIfAborted()
    if (!state.reopen) {
      if (!fault.retryable) throw fault.error
      const attempt = outage.fail()
      const { status, detail } = fault
      if (isLagging(fault)) notify({ kind: 'lagging', detail })
      if (attempt > maxAttempts) throw fault.error
      const when = await plan.handleFault(fault, arrived, { signal: stop, metadata })
      const delayMs = when === 'at-once' ? 0 : outage.delayMs()
      notify({ kind: 'disconnected', status, detail, attempt, delayMs })
      await pause(delayMs, stop)
    }
    tracker.reconnect()
  }

  return async () => {
    if (!started) await start()
    for (;;) {
      const ready = out[returned]
      if (ready) {
        returned++
        return ready
      }
      returned = 0
      out.length = 0
      // This call proves that the reader has processed all previous updates.
      if (tracker.checkpoint && tracker.checkpoint !== state.checkpoint) {
        state.checkpoint = tracker.checkpoint
        await store?.save(tracker.checkpoint)
      }
      state.connection ??= open()
      const update = await state.connection.read()
      if (update) {
        accept(update)
        if (state.checkpoint === undefined) await saveStart()
      } else {
        const { connection } = state
        state.connection = undefined
        await recover(connection)
      }
    }
  }
}

function slotOf({ slot }: Checkpoint): bigint {
  if (typeof slot === 'string' && /^\d{1,20}$/.test(slot)) return BigInt(slot)
  throw new FairleadError('CONFIG_INVALID', { option: 'checkpoint.slot', rule: 'must be a slot in decimal' })
}
