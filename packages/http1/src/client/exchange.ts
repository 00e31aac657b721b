import { Buffer } from 'node:buffer'
import { AnswerBody, type BodySource } from './response-body.ts'
import type { AnswerHead } from './response-head.ts'
import type { AnswerReceiver } from './response-reader.ts'
import type { AnswerStream, BodyInspector, ExchangeEnd, Http1Answer, Http1Call } from './types.ts'
import { Http1Failure } from './http1-error.ts'

/** A body that is longer is not held, and a connection does not wait for its end to be known. */
const maxShortBytes = 65_536

/** What an exchange asks of the connection that it is on. */
export interface ExchangeLine {
  pause(): void
  resume(): void
  /** The caller wants no more of the exchange. */
  abandon(exchange: Exchange): void
  /** As {@link abandon}, but what is left of the answer is short, maybe. */
  skip(exchange: Exchange): void
}

/** One call and its answer as it comes. */
export class Exchange implements AnswerReceiver, BodySource {
  readonly call: Http1Call
  /** When the head of the answer has to be there, on the clock of `performance.now()`. */
  readonly deadline: number
  /** The connection; undefined while the call waits for one. */
  line: ExchangeLine | undefined
  /** How many times the call was taken to another connection. */
  moves = 0
  /** Serial number of a connection that was lost to the call; only later ones will do. */
  behind = 0
  readonly #done: ExchangeEnd
  #state: 'waiting' | 'gathering' | 'handed over' | 'over' = 'waiting'
  #head: AnswerHead | undefined
  #gatheringSince = 0
  // What came before anybody asked for the body.
  #held: Buffer[] = []
  #heldBytes = 0
  // The same in its place, of a body that is known to be short: the memory of texts is far cheaper to find and to give back
  // than that of buffers.
  #latin1 = ''
  #body: AnswerBody | undefined
  #failure: Http1Failure | undefined
  #inspector: BodyInspector | undefined
  #hasEnded = false

  constructor(call: Http1Call, deadline: number, done: ExchangeEnd) {
    this.call = call
    this.deadline = deadline
    this.#done = done
    call.signal?.addEventListener('abort', this)
  }

  /** Whether nothing more is wanted of the exchange. */
  get isOver(): boolean {
    return this.#state === 'over'
  }

  /** Whether the caller has the head of the answer, and its body is still to come. */
  get isHandedOver(): boolean {
    return this.#state === 'handed over'
  }

  /** Whether the head of the answer has come. */
  get hasHead(): boolean {
    return this.#head !== undefined
  }

  get isForHead(): boolean {
    return this.call.method === 'HEAD'
  }

  onHead(head: AnswerHead): void {
    this.#head = head
    this.#state = 'gathering'
  }

  onPart(bytes: Buffer): void {
    if (this.#isText()) {
      this.#latin1 += bytes.toString('latin1')
      return
    }
    this.#inspector ??= this.call.inspector?.()
    this.#inspector?.inspect(bytes)
    const part = Buffer.from(bytes)
    if (this.#body) {
      if (!this.#body.push(part)) this.line?.pause()
      return
    }
    this.#held.push(part)
    this.#heldBytes += part.length
    if (this.#heldBytes <= maxShortBytes) return
    if (this.#state === 'gathering') this.#handOver()
    else this.line?.pause()
  }

  onWhole(head: AnswerHead, latin1: string): void {
    this.onHead(head)
    if (this.#isText()) this.#latin1 = latin1
    else this.onPart(Buffer.from(latin1, 'latin1'))
  }

  onEnd(): void {
    this.#hasEnded = true
    if (this.#state === 'gathering') this.#handOver()
    else this.#body?.push(null)
    this.#leave()
  }

  /**
   * Everything that came at once has been read.
   *
   * @param now - on the clock of `performance.now()`
   */
  settle(now: number): void {
    if (this.#state !== 'gathering') return
    const isLong = this.#head?.framing === 'length' && this.#head.length > maxShortBytes
    if (!this.call.isGathered || isLong) this.#handOver()
    else if (this.#gatheringSince === 0) this.#gatheringSince = now
    else if (now - this.#gatheringSince > longestGatheringMs) this.#handOver()
  }

  /** Notifies the caller that the answer has begun on the connection and stopped; one that is passed on is left alone. */
  stall(): void {
    if (this.#state === 'waiting' || this.#state === 'gathering') this.call.listener?.stalled?.()
  }

  /** Ends the exchange before its end. */
  fail(failure: Http1Failure): void {
    if (this.#state === 'over') return
    const isHandedOver = this.#state === 'handed over'
    this.#failure = failure
    this.#leave()
    if (!isHandedOver) this.#done(failure)
    else this.#body?.destroy(failure)
  }

  /** Ends an exchange that is not on a connection. */
  failUnsent(message: string): void {
    // Once moved, it was sent before.
    this.fail(new Http1Failure(this.moves === 0 ? 'unconnected' : 'broken', message))
  }

  /** The caller's signal ends the exchange. */
  handleEvent(): void {
    const { line } = this
    this.fail(new Http1Failure('aborted', 'The call was aborted.'))
    line?.abandon(this)
  }

  resume(): void {
    this.line?.resume()
  }

  cancel(): void {
    const { line } = this
    this.#leave()
    line?.abandon(this)
  }

  skip(): void {
    const { line } = this
    this.#leave()
    line?.skip(this)
    // Nobody waits for what is dropped.
    this.#body?.destroy()
  }

  /** The body as a stream. */
  stream(): AnswerStream {
    if (this.#body) return this.#body
    const body = new AnswerBody(this.#hasEnded ? undefined : this)
    this.#body = body
    if (this.#latin1 !== '') body.push(Buffer.from(this.#latin1, 'latin1'))
    for (const part of this.#held) body.push(part)
    this.#held = []
    if (this.#hasEnded) body.push(null)
    else if (this.#failure) body.destroy(this.#failure)
    return body
  }

  #handOver(): void {
    const head = this.#head as AnswerHead
    this.#state = 'handed over'
    this.#done(undefined, new ReceivedAnswer(this, head, this.#hasEnded ? this.#heldWhole() : undefined))
  }

  #heldWhole(): Buffer | string | undefined {
    if (this.#latin1 !== '') return this.#latin1
    return this.#heldBytes <= maxShortBytes ? joined(this.#held) : undefined
  }

  /** Whether the body is kept as a text, as nobody waits for a part of it. */
  #isText(): boolean {
    const head = this.#head
    return (
      this.#state === 'gathering' &&
      this.call.isGathered === true &&
      head?.framing === 'length' &&
      head.length <= maxShortBytes
    )
  }

  #leave(): void {
    this.#state = 'over'
    this.line = undefined
    this.call.signal?.removeEventListener('abort', this)
  }
}

const longestGatheringMs = 1_000
const noBytes = Buffer.alloc(0)

function joined(parts: readonly Buffer[]): Buffer {
  return parts.length === 1 ? (parts[0] as Buffer) : parts.length === 0 ? noBytes : Buffer.concat(parts)
}

// Where a node repeats one of them, joining the values makes no sense.
const single = new Set([
  'content-type',
  'content-encoding',
  'retry-after',
  'location',
  'date',
  'server',
  'etag',
])

class ReceivedAnswer implements Http1Answer {
  readonly status: number
  readonly latin1: string | undefined
  readonly length: number | undefined
  readonly isDelimited: boolean
  readonly #exchange: Exchange
  readonly #head: AnswerHead
  #bytes: Buffer | undefined

  constructor(exchange: Exchange, head: AnswerHead, held: Buffer | string | undefined) {
    this.status = head.status
    if (typeof held === 'string') this.latin1 = held
    else this.#bytes = held
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
      const known = headers[name]
      if (known === undefined) headers[name] = value
      else if (!single.has(name)) headers[name] = `${known}, ${value}`
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

  get body(): AnswerStream {
    return this.#exchange.stream()
  }
}
