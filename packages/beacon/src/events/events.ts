import { FairleadError, isRetryable, longestMs, requireNumber, pause } from '@fairlead/core'
import type { BeaconClient } from '../client.ts'
import type { BeaconEvent, EventTopic } from '../generated/index.ts'
import { openBody } from '../streams/body.ts'
import { type EventStreamMessage, readEventStream } from './event-stream.ts'

const path = '/eth/v1/events'
const operation = `GET ${path}`

/** Marks a position where events may be missing: the connection was lost and then restored. */
export interface GapEvent {
  readonly event: 'gap'
  readonly data: {
    /** When the last data arrived from the node, as ISO 8601. */
    readonly from: string
    /** When the new connection was established, as ISO 8601. */
    readonly to: string
    /** Number of connection attempts. */
    readonly attempts: number
    /** Why the connection ended, without secrets. */
    readonly reason: string
  }
}

/** Topics, timeouts and reconnection of {@link events}. */
export interface EventsOptions<topic extends EventTopic> {
  readonly topics: readonly topic[]
  /** Ends the stream without an error. */
  readonly signal?: AbortSignal | undefined
  /**
   * Maximum time without data in milliseconds; comments that a node sends as keep-alive count as data. Default 60000.
   * Some nodes send no headers before the first event, so the wait for the headers has this limit too when `timeoutMs`
   * of the client is shorter.
   */
  readonly idleMs?: number | undefined
  /** Delays between reconnection attempts, in milliseconds: the upper bound of the first one, and of all. */
  readonly reconnect?:
    | {
        /** Maximum number of attempts. Default: unlimited. */
        readonly attempts?: number | undefined
        /** Default 250. */
        readonly baseMs?: number | undefined
        /** Default 30000. */
        readonly maxMs?: number | undefined
      }
    | undefined
}

/**
 * Subscribes to the events of a beacon node.
 *
 * The stream is pulled: a slow reader slows the node down, and no events queue up in the client. A connection that
 * breaks, ends or stays silent is opened again after a random part of a delay that doubles with each attempt, in
 * addition to the delay that the node requests (`retry:`). With {@link failover} the new connection goes to the best
 * node. The API cannot deliver the events in between, so a `gap` marks that position.
 *
 * @param beacon - a client
 * @param options - `topics`, `signal`, `idleMs` and `reconnect`
 * @returns an endless sequence of `{ event, data }`, narrowed to the topics, and of gaps; `break` closes the connection
 * @throws FairleadError `HTTP_STATUS` when the node rejects the request (400, 401, 403, 404, 501); `HTTP_STATUS` or
 *   `TRANSPORT_*` when the first connection fails, or all `reconnect.attempts` fail; `DECODE_INVALID` for an event that
 *   is not JSON, naming its topic; `CONFIG_INVALID`
 * @example
 * ```ts
 * for await (const { event, data } of events(beacon, { topics: ['head', 'finalized_checkpoint'] })) {
 *   if (event === 'head') console.log('head', data.slot)
 *   else if (event === 'gap') console.warn('events may be missing since', data.from)
 * }
 * ```
 * @see eventstream; WHATWG HTML, section 9.2 (Server-sent events)
 */
export async function* events<const topic extends EventTopic>(
  beacon: BeaconClient,
  { topics, signal, idleMs = 60_000, reconnect = {} }: EventsOptions<topic>,
): AsyncGenerator<Extract<BeaconEvent, { event: topic }> | GapEvent, void, undefined> {
  const { attempts: maxAttempts = Infinity, baseMs = 250, maxMs = 30_000 } = reconnect
  requireNumber('idleMs', idleMs, 0, longestMs)
  requireNumber('reconnect.attempts', maxAttempts, 0)
  requireNumber('reconnect.baseMs', baseMs, 0, longestMs)
  requireNumber('reconnect.maxMs', maxMs, 0, longestMs)
  const call = {
    path,
    init: { signal, params: { query: { topics } } },
    accept: 'text/event-stream',
    idleMs,
    slowHeaders: true,
  }
  // Increases with every connection that delivered no event, so that a node that accepts and drops connections gets a
  // back-off too.
  let tries = 0
  let retryMs = 0
  let lost: { readonly from: string; readonly reason: string } | undefined

  async function connect(): Promise<{ body: ReadableStream<Uint8Array>; attempts: number }> {
    for (let attempts = 1; ; attempts++) {
      if (lost) await pause(retryMs + backoffMs(tries++, baseMs, maxMs), signal)
      try {
        const { body } = await openBody(beacon, call)
        return { body, attempts }
      } catch (error) {
        if (!lost || attempts >= maxAttempts || !isTemporary(error)) throw error
      }
    }
  }

  try {
    for (;;) {
      const { body, attempts } = await connect()
      let lastDataAt = new Date()
      try {
        if (lost) yield { event: 'gap', data: { ...lost, to: lastDataAt.toISOString(), attempts } }
        for await (const chunk of readEventStream(body)) {
          lastDataAt = new Date()
          retryMs = Math.min(chunk.retryMs ?? retryMs, longestMs - maxMs)
          for (const message of chunk.messages) {
            tries = 0
            yield eventOf(message) as Extract<BeaconEvent, { event: topic }>
          }
        }
        lost = { from: lastDataAt.toISOString(), reason: 'the node ended the stream' }
      } catch (error) {
        if (!isTemporary(error)) throw error
        lost = { from: lastDataAt.toISOString(), reason: reasonOf(error) }
      } finally {
        await body.cancel().catch(() => {})
      }
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  }
}

function isTemporary(error: unknown): boolean {
  return isRetryable(error) || (FairleadError.is(error, 'HTTP_STATUS') && error.details.status === 500)
}

/** The reason of the runtime alone: the marker of a gap needs no next step. */
function reasonOf(error: unknown): string {
  const isOfTransport =
    FairleadError.is(error, 'TRANSPORT_FAILED') || FairleadError.is(error, 'TRANSPORT_TIMEOUT')
  return isOfTransport ? error.details.reason : (error as Error).message
}

function eventOf({ event = '', data }: EventStreamMessage): unknown {
  try {
    return { event, data: JSON.parse(data) as unknown }
  } catch {
    throw new FairleadError('DECODE_INVALID', { operation, path: event, rule: 'must have data that is JSON' })
  }
}

/** A delay with full jitter, so that clients that failed together do not reconnect together. `tries` counts from 0. */
function backoffMs(tries: number, baseMs: number, maxMs: number): number {
  return Math.random() * Math.min(maxMs, baseMs * 2 ** tries)
}
