import { FairleadError, isRetryable, requireNumber, longestMs, pause } from '@fairlead/core'
import type { Client } from 'openapi-fetch'
import type { JettonBurn, paths } from '../generated/jetton-v3/types.ts'
import { type BurnCursor, burnPosition } from './burn-position.ts'
import { jettonBurns } from './jetton-burns.ts'

/** A burn, and the position after it. */
export interface WatchedBurn {
  readonly burn: JettonBurn
  /** The value of `from` that resumes after this burn, also in another process. */
  readonly cursor: BurnCursor
}

/** Options of {@link watchBurns}. */
export interface WatchBurnsOptions {
  /** Address of the jetton, a master contract, in any form. */
  readonly address: string
  /** Start position: `now` (default) after all listed burns, `beginning`, or a cursor. */
  readonly from?: 'now' | 'beginning' | BurnCursor | undefined
  /** Polling interval in milliseconds. Default 5000. */
  readonly pollMs?: number | undefined
  /**
   * How many seconds a burn can precede one that was listed earlier, because shards of the chain are indexed one after
   * the other. The burns of this period are read again. Default 60.
   */
  readonly lateSeconds?: number | undefined
  /** Number of burns per request. Default 1000. */
  readonly pageSize?: number | undefined
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined
  /**
   * Called with each failure that may be temporary; the stream retries after a delay that increases up to half a
   * minute.
   */
  readonly onError?: ((error: unknown) => void) | undefined
}

/**
 * Follows the burns of a jetton, each of them once.
 *
 * @param client - a client of family v3
 * @param options - the jetton, the start position and how to follow
 * @returns an endless stream of burns, oldest first, each with a cursor to resume after it; it ends when its reader
 *   stops or the signal aborts. A burn that is indexed late is delivered late.
 * @throws FairleadError `CONFIG_INVALID`. While it is read: errors of a request that are not temporary, such as
 *   `HTTP_STATUS` 401
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
  return generate(client, { ...options, pollMs, lateSeconds })
}

async function* generate(
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
        if (cursor === 'now') cursor = await latestCursor()
        const position = burnPosition(cursor, lateSeconds)
        for await (const burn of read(cursor.since)) {
          failures = 0
          if (!position.advance(burn)) continue
          cursor = position.cursor
          yield { burn, cursor }
        }
        failures = 0
        await pause(Math.min(pollMs, longestMs), signal)
      } catch (error) {
        if (signal.aborted || !isTemporary(error)) throw error
        onError?.(error)
        await pause(Math.random() * Math.min(30_000, 250 * 2 ** ++failures), signal)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }

  /** The position after all listed burns, independent of the clocks of client and server. */
  async function latestCursor(): Promise<BurnCursor> {
    const { value: last } = await jettonBurns(client, { address, pageSize: 1, signal }).next()
    const position = burnPosition({ since: 0, known: {} }, lateSeconds)
    const since = last ? last.transaction.time - lateSeconds : 0
    for await (const burn of read(Math.max(0, since))) position.advance(burn)
    return position.cursor
  }
}

function isTemporary(error: unknown): boolean {
  return isRetryable(error) || (FairleadError.is(error, 'HTTP_STATUS') && error.details.status === 500)
}
