import { FairleadError, longestMs, requireNumber } from '@fairlead/core'
import type { Metadata } from '@fairlead/grpc-transport/wire'
import type { CheckpointStore } from './checkpoint.ts'
import type { GeyserNotice } from './notice.ts'

/** Settings of a subscription. Times are in milliseconds. */
export interface GeyserSubscriptionOptions {
  /** Ends the subscription; whoever waits for an update gets the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Where to begin: everything from this slot on. Left out, with what comes next. A loaded checkpoint goes before it. */
  readonly fromSlot?: bigint | undefined
  /**
   * Keeps how far the subscription has come, so that it goes on there after a restart of the process. What came after
   * the checkpoint, as a rule three blocks, then comes once more.
   */
  readonly checkpoint?: CheckpointStore | undefined
  /**
   * What to do when the server no longer has all that was missed: `error` ends with `STREAM_GAP`, `resume` goes on with
   * the oldest slot that it has, and says so in a notice. Default `error`.
   */
  readonly onGap?: 'error' | 'resume' | undefined
  /** False goes on live after a fault: what was missed is reported as a gap, whatever `onGap` says. Default true. */
  readonly replay?: boolean | undefined
  /** How to call again after a fault. */
  readonly reconnect?: ReconnectOptions | undefined
  /** Reconnects when nothing at all has arrived for so long, the server's own pings included. Default 60000. */
  readonly silentMs?: number | undefined
  /** How often to send a ping, which keeps proxies from closing a quiet stream. Default 15000. */
  readonly pingMs?: number | undefined
  /** False where a call carries one request only, as over gRPC-web: no pings, and new filters open a new call. */
  readonly duplex?: boolean | undefined
  /** Metadata to send with every call. */
  readonly metadata?: Metadata | undefined
  /** Called with what happens to the subscription. */
  readonly onNotice?: ((notice: GeyserNotice) => void) | undefined
}

/** Pauses between calls: each is a random part of a limit that doubles from `initialMs` to `maxMs`. */
export interface ReconnectOptions {
  /** Default 100. */
  readonly initialMs?: number | undefined
  /** Default 30000. */
  readonly maxMs?: number | undefined
  /** How many calls in a row may fail without bringing anything new, before the last error is thrown. Default endless. */
  readonly maxAttempts?: number | undefined
}

/** Refuses settings that cannot work. */
export function checkOptions(options: GeyserSubscriptionOptions): void {
  const { onGap, fromSlot, reconnect = {}, silentMs, pingMs } = options
  if (onGap !== undefined && onGap !== 'error' && onGap !== 'resume') {
    throw new FairleadError('CONFIG_INVALID', { option: 'onGap', rule: "must be 'error' or 'resume'" })
  }
  if (fromSlot !== undefined && (typeof fromSlot !== 'bigint' || BigInt.asUintN(64, fromSlot) !== fromSlot)) {
    throw new FairleadError('CONFIG_INVALID', { option: 'fromSlot', rule: 'must be a bigint of 64 bits' })
  }
  const times = {
    silentMs,
    pingMs,
    'reconnect.initialMs': reconnect.initialMs,
    'reconnect.maxMs': reconnect.maxMs,
  }
  for (const [name, value] of Object.entries(times)) {
    if (value !== undefined) requireNumber(name, value, 1, longestMs)
  }
  if (reconnect.maxAttempts !== undefined) requireNumber('reconnect.maxAttempts', reconnect.maxAttempts, 0)
}
