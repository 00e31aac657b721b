import { Buffer } from 'node:buffer'
import type { QueuedItem } from '@fairlead/runtime'
import { ResponseBody, type BodySource } from './response-body.ts'
import type { ResponseHead } from './response-head.ts'
import type { ResponseStream, ExchangeEnd, ReceivedResponse, Http1Call } from './types.ts'
import { Http1Error } from './http1-error.ts'

/** A longer body is not buffered, and a connection does not wait for its end. */
const maxShortBytes = 65_536

/** The operations of a connection that an exchange uses. */
export interface ExchangeConnection {
  pause(): void
  resume(): void
  /** The caller has cancelled the exchange. */
  abandon(exchange: Exchange): void
  /** Same as {@link abandon}, but the rest of the response may be short. */
  skip(exchange: Exchange): void
}

/** One call and its response, as it arrives. */
export class Exchange implements BodySource {
  readonly call: Http1Call
  /** Deadline for the response headers, as a time of `performance.now()`. */
  readonly deadline: number
  /** The connection; undefined while the call waits for one. */
  connection: ExchangeConnection | undefined
  /** The entry in the queue while the call waits for a connection. */
  queued: QueuedItem | undefined
  /** How many times the call was moved to another connection. */
  reassignments = 0
  /** Serial number of a connection that closed under the call; only connections with a higher number are used. */
  closedSerial = 0
  /** Whether the call is sent again on a separate connection, because its first response was not usable. */
  isRestarted = false
  readonly #done: ExchangeEnd
  #state: 'waiting' | 'buffering' | 'delivered' | 'over' = 'waiting'
  #head: ResponseHead | undefined
  #bufferingSince = 0
  // Bytes that arrived before the caller read the body.
  #buffered: Buffer[] = []
  #bufferedBytes = 0
  // Replaces `#buffered` for a body that is known to be short: strings are far cheaper to allocate and to free than
  // buffers.
  #latin1 = ''
  #body: ResponseBody | undefined
  #failure: Http1Error | undefined
  #hasEnded = false

  constructor(call: Http1Call, deadline: number, done: ExchangeEnd) {
    this.call = call
    this.deadline = deadline
    this.#done = done
    call.signal?.addEventListener('abort', this)
  }

  /** Whether the exchange is finished or cancelled. */
  get isOver(): boolean {
    return this.#state === 'over'
  }

  /** Whether the caller has received the response headers and the body is not complete yet. */
  get isDelivered(): boolean {
    return this.#state === 'delivered'
  }

  /** Whether the response headers have arrived. */
  get hasHead(): boolean {
    return this.#head !== undefined
  }

  get isForHead(): boolean {
    return this.call.method === 'HEAD'
  }

  /** @param isAlone - whether the connection had no other call since this one was sent */
  onHead(head: ResponseHead, isAlone: boolean): void {
    this.#head = head
    this.#state = 'buffering'
    this.call.check?.begin(head.status, isAlone)
  }

  onData(bytes: Buffer): void {
    if (this.#isText()) {
      this.#latin1 += bytes.toString('latin1')
      return
    }
    if (this.#state === 'delivered') this.call.check?.onPart(bytes)
    const chunk = Buffer.from(bytes)
    if (this.#body) {
      if (!this.#body.push(chunk)) this.connection?.pause()
      return
    }
    this.#buffered.push(chunk)
    this.#bufferedBytes += chunk.length
    if (this.#bufferedBytes <= maxShortBytes) return
    if (this.#state === 'buffering') this.#deliver()
    else this.connection?.pause()
  }

  onFullResponse(head: ResponseHead, latin1: string, isAlone: boolean): void {
    this.onHead(head, isAlone)
    if (this.#isText()) this.#latin1 = latin1
    else this.onData(Buffer.from(latin1, 'latin1'))
  }

  /**
   * Checks a response that has arrived completely and has not been delivered.
   *
   * @throws Http1Error for a response that must not be delivered
   */
  checkBody(): void {
    const { check } = this.call
    if (check !== undefined && this.#state === 'buffering') check.onBody(this.#bodyText())
  }

  onEnd(): void {
    this.#hasEnded = true
    if (this.#state === 'buffering') this.#deliver()
    else this.#body?.push(null)
    this.#detach()
  }

  /**
   * All bytes that arrived together have been read.
   *
   * @param now - current time of `performance.now()`
   */
  flush(now: number): void {
    if (this.#state !== 'buffering') return
    const isLong = this.#head?.framing === 'length' && this.#head.length > maxShortBytes
    // The first bytes of a long response show whether it belongs to the call.
    if (isLong && this.call.check && this.#bufferedBytes === 0) return
    if (!this.call.isBuffered || isLong) this.#deliver()
    else if (this.#bufferingSince === 0) this.#bufferingSince = now
    else if (now - this.#bufferingSince > maxBufferingMs) this.#deliver()
  }

  /**
   * Notifies the caller that a response on the connection has begun and stalled. Does nothing for a response that is
   * already forwarded.
   */
  stall(): void {
    if (this.#state === 'waiting' || this.#state === 'buffering') this.call.listener?.stalled?.()
  }

  /**
   * Discards a response that has not been delivered, so that the call can be sent again.
   *
   * @returns false when that is not possible, or has been done before
   */
  restart(): boolean {
    if (this.isRestarted || (this.#state !== 'waiting' && this.#state !== 'buffering')) return false
    this.isRestarted = true
    this.#state = 'waiting'
    this.#head = undefined
    this.#bufferingSince = 0
    this.#buffered = []
    this.#bufferedBytes = 0
    this.#latin1 = ''
    return true
  }

  /** Fails the exchange before it is complete. */
  fail(failure: Http1Error): void {
    if (this.#state === 'over') return
    const isDelivered = this.#state === 'delivered'
    this.#failure = failure
    this.#detach()
    if (!isDelivered) this.#done(failure)
    else this.#body?.destroy(failure)
  }

  /** Fails an exchange that is not on a connection. */
  failUnsent(message: string): void {
    // An exchange that was moved has been sent before.
    this.fail(new Http1Error(this.reassignments === 0 ? 'connect_failed' : 'reset', message))
  }

  /** Handles the abort event of the caller's signal. */
  handleEvent(): void {
    const { connection } = this
    this.fail(new Http1Error('aborted', 'The call was aborted.'))
    connection?.abandon(this)
  }

  resume(): void {
    this.connection?.resume()
  }

  cancel(): void {
    const { connection } = this
    this.#detach()
    connection?.abandon(this)
  }

  skip(): void {
    const { connection } = this
    this.#detach()
    connection?.skip(this)
    // No reader waits for the dropped rest.
    this.#body?.destroy()
  }

  /** The body as a stream. */
  stream(): ResponseStream {
    if (this.#body) return this.#body
    const body = new ResponseBody(this.#hasEnded ? undefined : this)
    this.#body = body
    if (this.#latin1 !== '') body.push(Buffer.from(this.#latin1, 'latin1'))
    for (const chunk of this.#buffered) body.push(chunk)
    this.#buffered = []
    if (this.#hasEnded) body.push(null)
    else if (this.#failure) body.destroy(this.#failure)
    return body
  }

  #deliver(): void {
    const head = this.#head as ResponseHead
    const { check } = this.call
    // A body that has ended has already been checked.
    if (check && !this.#hasEnded && this.#bufferedBytes + this.#latin1.length > 0)
      check.onPart(this.#bodyBytes())
    this.#state = 'delivered'
    this.#done(undefined, new ExchangeResponse(this, head, this.#hasEnded ? this.#bufferedBody() : undefined))
  }

  #bodyText(): string {
    return this.#latin1 === '' ? joined(this.#buffered).toString('latin1') : this.#latin1
  }

  #bodyBytes(): Buffer {
    return this.#latin1 === '' ? joined(this.#buffered) : Buffer.from(this.#latin1, 'latin1')
  }

  #bufferedBody(): Buffer | string | undefined {
    if (this.#latin1 !== '') return this.#latin1
    return this.#bufferedBytes <= maxShortBytes ? joined(this.#buffered) : undefined
  }

  /** Whether the body is buffered as a string, because no caller waits for a part of it. */
  #isText(): boolean {
    const head = this.#head
    return (
      this.#state === 'buffering' &&
      this.call.isBuffered === true &&
      head?.framing === 'length' &&
      head.length <= maxShortBytes
    )
  }

  #detach(): void {
    this.#state = 'over'
    this.connection = undefined
    this.queued?.remove()
    this.queued = undefined
    this.call.signal?.removeEventListener('abort', this)
  }
}

const maxBufferingMs = 1_000
const noBytes = Buffer.alloc(0)

function joined(parts: readonly Buffer[]): Buffer {
  return parts.length === 1 ? (parts[0] as Buffer) : parts.length === 0 ? noBytes : Buffer.concat(parts)
}

// When an upstream repeats one of these, joining the values makes no sense.
const singleValued = new Set([
  'content-type',
  'content-encoding',
  'retry-after',
  'location',
  'date',
  'server',
  'etag',
])

class ExchangeResponse implements ReceivedResponse {
  readonly status: number
  readonly latin1: string | undefined
  readonly length: number | undefined
  readonly isDelimited: boolean
  readonly #exchange: Exchange
  readonly #head: ResponseHead
  #bytes: Buffer | undefined

  constructor(exchange: Exchange, head: ResponseHead, buffered: Buffer | string | undefined) {
    this.status = head.status
    if (typeof buffered === 'string') this.latin1 = buffered
    else this.#bytes = buffered
    this.length = head.framing === 'length' ? head.length : undefined
    this.isDelimited = head.framing !== 'close'
    this.#exchange = exchange
    this.#head = head
  }

  get bytes(): Buffer | undefined {
    if (this.latin1 !== undefined) this.#bytes ??= Buffer.from(this.latin1, 'latin1')
    return this.#bytes
  }

  get headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = Object.create(null) as Record<string, string>
    const { fields } = this.#head
    for (let at = 0; at < fields.length; at += 2) {
      const name = fields[at] as string
      const value = fields[at + 1] as string
      const cached = headers[name]
      if (cached === undefined) headers[name] = value
      else if (!singleValued.has(name)) headers[name] = `${cached}, ${value}`
    }
    if (this.length !== undefined) headers['content-length'] = String(this.length)
    return headers
  }

  header(name: string): string | undefined {
    const { fields } = this.#head
    for (let at = 0; at < fields.length; at += 2) if (fields[at] === name) return fields[at + 1]
    return undefined
  }

  get contentType(): string | undefined {
    return this.#head.contentType
  }

  get body(): ResponseStream {
    return this.#exchange.stream()
  }
}
