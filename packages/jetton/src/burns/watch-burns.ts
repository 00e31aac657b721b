import { FairleadError, isRetryable, requireNumber, longestMs, pause } from '@fairlead/core'
import type { Client } from 'openapi-fetch'
import type { JettonBurn, paths } from '../generated/jetton-v3/types.ts'
import { type BurnCursor, burnPosition } from './burn-position.ts'
import { jettonBurns } from './jetton-burns.ts'

/** A burn, and the place behind it. */
export interface WatchedBurn {
  readonly burn: JettonBurn
  /** The `from` that goes on after this burn, also in another process. */
  readonly cursor: BurnCursor
}

/** What to watch, and how. */
export interface WatchBurnsOptions {
  /** Address of the jetton, a master contract, in any form. */
  readonly address: string
  /** Where to begin: `now` (default) behind all burns that are listed, `beginning`, or where a cursor says. */
  readonly from?: 'now' | 'beginning' | BurnCursor | undefined
  /** Milliseconds from one look for new burns to the next. Default 5000. */
  readonly pollMs?: number | undefined
  /**
   * How many seconds a burn may lie before one that was listed earlier, as shards of the chain are indexed one after the
   * other; the burns of so many seconds are looked at again. Default 60.
   */
  readonly lateSeconds?: number | undefined
  /** How many burns to ask for at a time. Default 1000. */
  readonly pageSize?: number | undefined
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined
  /** Hears of each failure that may pass; the stream goes on after a pause that grows up to half a minute. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/**
 * Follows the burns of a jetton, each of them once.
 *
 * @param client - a client of family v3
 * @param options - the jetton, where to begin and how to follow
 * @returns an endless stream of burns, oldest first, each with a cursor to go on after it; it ends when its reader leaves
 *   or the signal aborts. One that is indexed late comes late.
 * @throws FairleadError `CONFIG_INVALID`; while it is read what a request throws and will not pass, such as `HTTP_STATUS`
 *   401
 * @example
 * ```ts
 * for await (const { burn, cursor } of watchBurns(jetton, { address: master, from: saved ?? 'beginning' })) {
 *   await credit(burn.burner.address, burn.amount)
 *   await save(cursor)
 * }
 * ```
 * @see specs/jetton/v3.openapi.yaml, listJettonBurns
 */
export function watchBurns(
  client: Client<paths>,
  options: WatchBurnsOptions,
): AsyncGenerator<WatchedBurn, void, undefined> {
  const { pollMs = 5_000, lateSeconds = 60 } = options
  requireNumber('pollMs', pollMs, 0)
  requireNumber('lateSeconds', lateSeconds, 0)
  return watched(client, { ...options, pollMs, lateSeconds })
}

async function* watched(
  client: Client<paths>,
  options: WatchBurnsOptions & { readonly pollMs: number; readonly lateSeconds: number },
): AsyncGenerator<WatchedBurn, void, undefined> {
  const { address, from = 'now', pollMs, lateSeconds, pageSize, onError } = options
  const signal = options.signal ?? new AbortController().signal
  const read = (since: number) =>
    jettonBurns(client, { address, sort: 'asc', start_utime: since, pageSize, signal })
  let cursor = from === 'beginning' ? { since: 0, known: {} } : from
  let failures = 0
  try {
    for (;;) {
      try {
        if (cursor === 'now') cursor = await newest()
        const position = burnPosition(cursor, lateSeconds)
        for await (const burn of read(cursor.since)) {
          failures = 0
          if (!position.take(burn)) continue
          cursor = position.cursor
          yield { burn, cursor }
        }
        failures = 0
        await pause(Math.min(pollMs, longestMs), signal)
      } catch (error) {
        if (signal.aborted || !mayPass(error)) throw error
        onError?.(error)
        await pause(Math.random() * Math.min(30_000, 250 * 2 ** ++failures), signal)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }

  /** The place behind all burns that are listed, whatever the time is here and there. */
  async function newest(): Promise<BurnCursor> {
    const { value: last } = await jettonBurns(client, { address, pageSize: 1, signal }).next()
    const position = burnPosition({ since: 0, known: {} }, lateSeconds)
    const since = last ? last.transaction.time - lateSeconds : 0
    for await (const burn of read(Math.max(0, since))) position.take(burn)
    return position.cursor
  }
}

function mayPass(error: unknown): boolean {
  return isRetryable(error) || (FairleadError.is(error, 'HTTP_STATUS') && error.context.status === 500)
}
