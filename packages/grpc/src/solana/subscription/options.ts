import { FairleadError, longestMs, requireNumber } from '@fairlead/core'
import type { Metadata } from '@fairlead/grpc-transport/wire'
import type { CheckpointStore } from './checkpoint.ts'
import type { GeyserNotice } from './notice.ts'

/** Options of a subscription. Times are in milliseconds. */
export interface GeyserSubscriptionOptions {
  /** Ends the subscription; a pending read rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Start position: everything from this slot on. Default: the next update. A loaded checkpoint takes precedence. */
  readonly fromSlot?: bigint | undefined
  /**
   * Stores the position of the subscription, so that it resumes there after a restart of the process. Updates after the
   * checkpoint, usually of three blocks, are then delivered again.
   */
  readonly checkpoint?: CheckpointStore | undefined
  /**
   * What to do when the server no longer has all missed updates: `error` ends with `STREAM_GAP`, `resume` continues
   * with the oldest slot that the server has, and reports it in a notice. Default `error`.
   */
  readonly onGap?: 'error' | 'resume' | undefined
  /**
   * False continues with live updates after a fault: missed updates are reported as a gap, whatever `onGap` is. Default
   * true.
   */
  readonly replay?: boolean | undefined
  /** Delays and attempts of new calls after a fault. */
  readonly reconnect?: ReconnectOptions | undefined
  /** Reconnects when no data at all has arrived for this time, including pings of the server. Default 60000. */
  readonly silentMs?: number | undefined
  /** Interval between pings, which keep proxies from closing an idle stream. Default 15000. */
  readonly pingMs?: number | undefined
  /** False when a call sends one request only, as over gRPC-web: no pings, and new filters open a new call. */
  readonly duplex?: boolean | undefined
  /** Metadata to send with every call. */
  readonly metadata?: Metadata | undefined
  /** Called with each event of the subscription. */
  readonly onNotice?: ((notice: GeyserNotice) => void) | undefined
}

/** Delays between calls: each is a random part of a limit that doubles from `initialMs` to `maxMs`. */
export interface ReconnectOptions {
  /** Default 100. */
  readonly initialMs?: number | undefined
  /** Default 30000. */
  readonly maxMs?: number | undefined
  /** Maximum number of consecutive calls without a new update, before the last error is thrown. Default: unlimited. */
  readonly maxAttempts?: number | undefined
}

/** Rejects invalid options. */
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
