import { Buffer } from 'node:buffer'
import { Readable } from 'node:stream'
import type { ReceivedResponse } from '@fairlead/http1'
import type { CancellationSignal } from '@fairlead/runtime'
import { collectBody } from '@fairlead/gateway-core/http/collect-body'
import { type BodyParts, streamBody } from '@fairlead/gateway-core/http/stream-body'
import type { HttpResponse } from '@fairlead/gateway-core/http/types'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import { toUpstreamError, unavailable, UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { malformed, toRpcError } from './rpc-errors.ts'

/** A body of a response as a stream. */
export type Body = ReceivedResponse['body']

/**
 * Reads a body to its end unless it exceeds the limit. A body that exceeds it can still be read completely.
 *
 * @param body - not yet read
 * @param limit - maximum number of bytes to read
 * @param signal - cancellation signal of the call
 * @returns undefined for a body that exceeds the limit
 * @throws UpstreamError when the call is cancelled or the upstream ends the body early; any other error of the body
 */
export async function readUpTo(
  body: Body,
  limit: number,
  signal: CancellationSignal,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    const chunk = body.read() as Buffer | null
    if (chunk === null) {
      if (body.readableEnded) return Buffer.concat(chunks)
      await untilReadable(body, signal)
      continue
    }
    chunks.push(chunk)
    length += chunk.length
    if (length > limit) {
      // In the same event-loop tick, because a body that has no more bytes ends in the next one.
      body.unshift(Buffer.concat(chunks))
      return undefined
    }
  }
}

/**
 * Waits for the first bytes of a body. They can be read again.
 *
 * @returns undefined for an empty body
 * @throws as {@link readUpTo}
 */
export async function firstBytes(body: Body, signal: CancellationSignal): Promise<Buffer | undefined> {
  if (body.readableLength === 0 && !body.readableEnded) await untilReadable(body, signal)
  return arrivedBytes(body)
}

/** Returns the bytes of a body that have arrived. They can be read again. */
export function arrivedBytes(body: Body): Buffer | undefined {
  const bytes = body.read() as Buffer | null
  if (bytes === null) return undefined
  body.unshift(bytes)
  return bytes
}

/** Waits until bytes are available or the body has ended. */
function untilReadable(body: Body, signal: CancellationSignal): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const settle = (error?: Error) => {
      body.off('readable', onReadable).off('end', onReadable).off('close', onClose).off('error', settle)
      if (error === undefined) resolve()
      else reject(error)
    }
    const onReadable = () => settle()
    const onClose = () => settle(body.readableEnded ? undefined : incomplete())
    if (body.errored) return reject(body.errored)
    if (body.destroyed && !body.readableEnded) return reject(incomplete())
    body.on('readable', onReadable).on('end', onReadable).on('close', onClose).on('error', settle)
  }).catch((error: unknown) => {
    throw signal.aborted ? unavailable(error, signal) : (toUpstreamError(error) ?? error)
  })
}

function incomplete(): UpstreamError {
  return new UpstreamError('reset', 'The response of the upstream is incomplete.')
}

/**
 * Reads a body to its end.
 *
 * @throws {@link MemoryLimitError} when the memory budget is exhausted, else {@link UpstreamError}
 */
export async function readAll(
  body: Body,
  reservation: Reservation,
  signal: CancellationSignal,
): Promise<Buffer> {
  let length = 0
  try {
    return await collectBody(body, (added) => {
      reservation.take(added)
      length += added
    })
  } catch (error) {
    // Releases the memory of the discarded response for other responses.
    reservation.shrink(length)
    throw toRpcError(error) ? error : unavailable(error, signal)
  }
}

/** Receives the progress of a body that is streamed to a client. */
export interface StreamListener {
  /** Called when the first bytes have arrived, before they are sent. */
  begin(): void
  /** Called with the number of bytes that were sent. */
  sent(bytes: number): void
  /** Returns a promise to wait for when the budget of the tick is used up. `units` is the duration in calls. */
  turn(units: number): Promise<void> | undefined
}

/** How streaming a body ended, as {@link streamBody}. */
export type Streamed = Promise<'complete' | 'client disconnected' | UpstreamError>

/**
 * Streams a body to a client if it begins like an object.
 *
 * @param client - no part of its response has been sent yet
 * @param signal - cancellation signal of the exchange
 * @throws {@link UpstreamError} when the body fails before its first byte, or does not begin like an object; nothing has
 * been sent then
 */
export function streamObject(
  body: BodyParts,
  client: HttpResponse,
  signal: CancellationSignal,
  { begin, sent, turn }: StreamListener,
): Streamed {
  return streamBody(body, client, {
    begin: (first) => {
      if (!first || !/^\s*\{/.test(first.toString('latin1', 0, 64))) throw malformed()
      begin()
    },
    failureOf: (error) => unavailable(error, signal),
    sent,
    turn,
  })
}

/** The parts of a body, which may be discarded. */
type DiscardableParts = BodyParts & Pick<Body, 'dump'>

/** Where the id of a response is in its body. The offsets are set when its bytes have arrived. */
export interface IdPosition {
  readonly from: number | undefined
  readonly to: number | undefined
}

/**
 * Replaces the id of a response while it streams.
 *
 * @param body - not yet read
 * @param idText - the other id, as JSON
 */
export function withOtherId(body: Body, position: IdPosition, idText: string): DiscardableParts {
  return {
    destroy: () => body.destroy(),
    dump: () => body.dump(),
    [Symbol.asyncIterator]: () => replaceId(body, position, idText),
  }
}

async function* replaceId(
  body: Body,
  position: IdPosition,
  idText: string,
): AsyncGenerator<Buffer, undefined> {
  let offset = 0
  let isReplaced = false
  let rest: Buffer | undefined
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (isReplaced) {
      yield chunk
      continue
    }
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk
    rest = undefined
    const { from = Infinity, to = Infinity } = position
    const begin = Math.min(from - offset, bytes.length)
    if (to - offset <= bytes.length) {
      isReplaced = true
      yield Buffer.concat([bytes.subarray(0, begin), Buffer.from(idText), bytes.subarray(to - offset)])
    } else {
      if (begin < bytes.length) rest = bytes.subarray(begin)
      if (begin > 0) yield bytes.subarray(0, begin)
      offset += begin
    }
  }
  if (rest) yield rest
  return undefined
}

/** Creates a body of bytes. */
export function bodyOf(bytes: Buffer | undefined): Body {
  const body = Readable.from(bytes ? [bytes] : [])
  const dump = (): Promise<void> => {
    body.destroy()
    return Promise.resolve()
  }
  return Object.assign(body, { dump })
}

/**
 * Transforms the text of a body while it streams, without buffering it.
 *
 * @param rewrite - called with pieces of the text, each ending after a comma; each byte is one character
 */
export function rewriteBody(original: DiscardableParts, rewrite: (text: string) => string): Body {
  async function* rewritten() {
    let rest = ''
    for await (const chunk of original) {
      const text = rest + chunk.toString('latin1')
      const end = text.lastIndexOf(',') + 1
      rest = text.slice(end)
      if (end > 0) yield Buffer.from(rewrite(text.slice(0, end)), 'latin1')
    }
    if (rest !== '') yield Buffer.from(rewrite(rest), 'latin1')
  }
  const body = Readable.from(rewritten(), { objectMode: false })
  return Object.assign(body, { dump: () => original.dump() })
}
