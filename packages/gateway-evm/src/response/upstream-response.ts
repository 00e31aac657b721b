import { Buffer, isUtf8 } from 'node:buffer'
import type { ReceivedResponse } from '@fairlead/http1'
import type { CancellationSignal } from '@fairlead/runtime'
import type { HttpResponse } from '@fairlead/gateway-core/http/types'
import { parseJson, parseObject } from '@fairlead/gateway-core/json'
import { resultText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import {
  arrivedBytes,
  type Body,
  bodyOf,
  firstBytes,
  readAll,
  readUpTo,
  rewriteBody,
  type Streamed,
  type StreamListener,
  streamObject,
  withOtherId,
} from './body.ts'
import { type ClassifiedCall, classifyResponse, type ResponseClass } from './classify-response.ts'
import { isErrorPrefix, isErrorText } from './error-prefix.ts'
import type { OwnId } from './own-id.ts'
import { isResult, parseResult, responseText, type RpcResponse, toRpcResponse } from './rpc-response.ts'

/** Options for reading a response to its end. */
export interface Reading {
  /** Method of the call. */
  readonly method: string
  /** Memory reservation for the response. */
  readonly reservation: Reservation
  /** Cancellation signal of the exchange. */
  readonly signal: CancellationSignal
}

type Received = Pick<ReceivedResponse, 'latin1' | 'bytes' | 'body' | 'length' | 'isDelimited'>

/** Where a response comes from. The body is accessed only when it is read, because it may be created lazily. */
type Source = Pick<Received, 'length' | 'isDelimited'> & { readonly body?: Body }

const maxShortBytes = 64 * 1024
const openBrace = 0x7b

/**
 * A response of an upstream. Its body has not been read, but a short one may be buffered: as a string with one character
 * per byte if it was received as such, because a string is cheaper to create and to write, or as bytes.
 */
export class UpstreamResponse {
  readonly #buffered: string | Buffer | undefined
  readonly #source: Source
  readonly #secrets: readonly string[] | undefined
  /** The id that the response has. Undefined when the response has already the id of the client's call, or any other. */
  readonly #id: OwnId | undefined
  readonly #value: unknown
  #isResult: boolean | undefined

  private constructor(
    buffered: string | Buffer | undefined,
    source: Source,
    secrets?: readonly string[],
    id?: OwnId,
    value?: unknown,
  ) {
    this.#buffered = buffered
    this.#source = source
    this.#secrets = secrets
    this.#id = id
    this.#value = value
  }

  /**
   * @param secrets - texts that an error must not contain
   * @param id - id of the call
   */
  static received(response: Received, secrets?: readonly string[], id?: OwnId): UpstreamResponse {
    return new UpstreamResponse(response.latin1 ?? response.bytes, response, secrets, id)
  }

  /** Creates the response to a call that the gateway handles itself. */
  static ofResult(resultJson: string): UpstreamResponse {
    const content = resultText('null', resultJson)
    return new UpstreamResponse(Buffer.from(content), { length: content.length, isDelimited: true })
  }

  /** Creates the response to one call of a batch from a part of this response. */
  part(latin1: string, id: OwnId, value?: unknown): UpstreamResponse {
    id.onBody(latin1)
    return this.#asBuffered(latin1, id, value)
  }

  /** @param content - bytes, or a string with one character per byte */
  #asBuffered(content: string | Buffer, id = this.#id, value?: unknown): UpstreamResponse {
    return new UpstreamResponse(
      content,
      { length: content.length, isDelimited: true },
      this.#secrets,
      id,
      value,
    )
  }

  /** Whether the response has arrived completely. */
  get isBuffered(): boolean {
    return this.#buffered !== undefined
  }

  /** Whether a truncated response can be distinguished from a complete one. */
  get isDelimited(): boolean {
    return this.#source.isDelimited
  }

  /** Length in bytes, if it was known before the body arrived. */
  get length(): number | undefined {
    return this.#source.length
  }

  /** A buffered response, with one character per byte. */
  get latin1(): string | undefined {
    const buffered = this.#buffered
    return typeof buffered === 'string' ? buffered : buffered?.toString('latin1')
  }

  /** A buffered response that begins like an object, in bytes or with one character per byte. */
  get object(): string | Buffer | undefined {
    const buffered = this.#buffered
    const first = typeof buffered === 'string' ? buffered.charCodeAt(0) : buffered?.[0]
    return first === openBrace ? buffered : undefined
  }

  /**
   * Whether the id can be replaced without reading the response completely. A server may write the id of a short response
   * at an unusual place.
   */
  get hasReplaceableId(): boolean {
    return !this.isBuffered || this.#id?.to !== undefined
  }

  /**
   * A buffered response that begins like an object, with another id: in bytes or with one character per byte.
   *
   * @param idText - the other id, as JSON
   */
  objectWithId(idText: string): string | Buffer | undefined {
    const { object } = this
    const { from, to } = this.#id ?? {}
    if (object === undefined || from === undefined || to === undefined) return undefined
    if (typeof object === 'string') return object.slice(0, from) + toLatin1(idText) + object.slice(to)
    return Buffer.concat([object.subarray(0, from), Buffer.from(idText), object.subarray(to)])
  }

  /** As {@link objectWithId}, if the response was received as a string and is ASCII. */
  asciiObjectWithId(idText: string): string | undefined {
    const object = this.objectWithId(idText)
    return typeof object === 'string' && isAscii(object) ? object : undefined
  }

  /**
   * Length in bytes with another id, if it is known.
   *
   * @param idText - the other id, as JSON
   */
  lengthWithId(idText: string): number | undefined {
    const { length } = this
    const { from, to } = this.#id ?? {}
    if (length === undefined || from === undefined || to === undefined) return undefined
    return length - (to - from) + Buffer.byteLength(idText)
  }

  /** Whether the response is buffered and has a result. */
  get isBufferedResult(): boolean {
    const { latin1 } = this
    return (this.#isResult ??= latin1 !== undefined && !isErrorText(latin1))
  }

  /** Whether the response is buffered and its result is null. */
  get isBufferedNull(): boolean {
    return /"result"\s*:\s*null\b/.test(this.latin1 ?? '')
  }

  /** Classifies a buffered response. Any other one is `good`. */
  classify(call: ClassifiedCall): ResponseClass {
    const { latin1 } = this
    return latin1 === undefined ? 'good' : classifyResponse(call, latin1)
  }

  /** Parses a buffered response. Returns an empty object for any other one, and when it is not a JSON object. */
  parse(): Readonly<Record<string, unknown>> {
    return parseObject(this.#bytes?.toString() ?? '')
  }

  /**
   * Returns the text of a buffered response with another id if the rest can be passed through unchanged: a result.
   *
   * @param idText - the other id, as JSON
   * @returns undefined for every other response
   */
  tryPassThrough(idText: string): string | undefined {
    const text = this.#buffered
    if (typeof text !== 'string' || !isAscii(text) || !isResult(this.#value ?? parseJson(text)))
      return undefined
    const { from, to } = this.#id ?? {}
    return from === undefined || to === undefined ? undefined : text.slice(0, from) + idText + text.slice(to)
  }

  /**
   * Returns what has arrived, with one character per byte. The response can still be read completely.
   *
   * @param maxBytes - maximum length of the beginning of a response that is not buffered
   */
  peek(maxBytes: number): string | undefined {
    return this.latin1 ?? arrivedBytes(this.#body)?.toString('latin1', 0, maxBytes)
  }

  /**
   * As {@link peek}, but waits for the first bytes. Throws as {@link beginsWithError}.
   *
   * @param signal - cancellation signal of the exchange
   */
  async beginning(maxBytes: number, signal: CancellationSignal): Promise<string> {
    if (!this.isBuffered) await firstBytes(this.#body, signal)
    return this.peek(maxBytes) ?? ''
  }

  /**
   * Distinguishes an error from a result by the first bytes. A response whose first bytes contain neither counts as an
   * error. The response can still be read completely. `ResponseInspector` inspects the remaining bytes.
   *
   * @param signal - cancellation signal of the exchange
   * @throws {@link UpstreamError} as `Upstream.post` when no bytes arrive
   */
  async beginsWithError(signal: CancellationSignal): Promise<boolean> {
    const { latin1 } = this
    if (latin1 !== undefined) return isErrorText(latin1)
    const first = await firstBytes(this.#body, signal)
    return first !== undefined && isErrorPrefix(first)
  }

  /**
   * Buffers a short response. A long one can still be read completely.
   *
   * @param signal - cancellation signal of the exchange
   * @throws {@link UpstreamError} as `Upstream.post` when the response is interrupted before that
   */
  async bufferShort(signal: CancellationSignal): Promise<UpstreamResponse> {
    if (this.isBuffered || (this.length ?? 0) > maxShortBytes) return this
    const bytes = await readUpTo(this.#body, maxShortBytes, signal)
    return bytes ? this.#asBuffered(bytes) : this
  }

  /** Buffers a response of any length. Throws as {@link readText}. */
  async buffer(reservation: Reservation, signal: CancellationSignal): Promise<UpstreamResponse> {
    if (this.isBuffered) return this
    return this.#asBuffered(await readAll(this.#body, reservation, signal))
  }

  /**
   * Reads a response to its end unless it exceeds the limit. A response that exceeds it can still be read completely.
   *
   * @param signal - cancellation signal of the call
   * @returns undefined for a response that exceeds the limit
   * @throws as {@link readUpTo}, and as {@link toRpcResponse}
   */
  async readShort(
    method: string,
    maxBytes: number,
    signal: CancellationSignal,
  ): Promise<RpcResponse | undefined> {
    const { length = 0 } = this.#buffered ?? this
    if (length > maxBytes) return undefined
    const bytes = this.#bytes ?? (await readUpTo(this.#body, maxBytes, signal))
    return bytes && toRpcResponse(bytes.toString(), method, this.#secrets)
  }

  /**
   * Reads the response to its end.
   *
   * @throws {@link MemoryLimitError} when the memory budget is exhausted, else as `Upstream.post`
   */
  async readText(reservation: Reservation, signal: CancellationSignal): Promise<string> {
    reservation.take(this.#buffered?.length ?? 0)
    return (this.#bytes ?? (await readAll(this.#body, reservation, signal))).toString()
  }

  /**
   * Reads the response to its end and removes its envelope. A result is passed through verbatim, and so is an error that
   * needs no normalization.
   *
   * @throws {@link UpstreamError} with status 502 when it is not a JSON-RPC response, else as {@link readText}
   */
  async readRpcResponse({ method, reservation, signal }: Reading): Promise<RpcResponse> {
    return toRpcResponse(await this.readText(reservation, signal), method, this.#secrets)
  }

  /** As {@link readRpcResponse}, as text with an id. */
  async readWithId(idText: string, reading: Reading): Promise<string> {
    return responseText(idText, await this.readRpcResponse(reading))
  }

  /** As {@link readWithId}, as UTF-8. The rest of a buffered response that begins like an object is passed through. */
  async readUtf8(idText: string, reading: Reading): Promise<Buffer> {
    const object = this.objectWithId(idText)
    const bytes = typeof object === 'string' ? Buffer.from(object, 'latin1') : object
    if (!bytes || !isUtf8(bytes)) return Buffer.from(await this.readWithId(idText, reading))
    reading.reservation.take(bytes.length)
    return bytes
  }

  /**
   * Reads the response to its end and parses its result.
   *
   * @throws {@link RpcError} with the upstream's error, else as {@link readRpcResponse}
   */
  async readResult({ method, reservation, signal }: Reading): Promise<unknown> {
    return parseResult(await this.readText(reservation, signal), method, this.#secrets)
  }

  /**
   * Streams the response to a client, as {@link streamObject}.
   *
   * @param idText - id of the client's call, as JSON
   */
  streamTo(
    client: HttpResponse,
    idText: string,
    signal: CancellationSignal,
    listener: StreamListener,
  ): Streamed {
    return streamObject(this.#bodyWithId(idText), client, signal, listener)
  }

  /**
   * Transforms the text of the response while it streams, as {@link rewriteBody}.
   *
   * @param idText - id of the client's call, as JSON
   */
  rewrite(rewrite: (text: string) => string, idText: string): UpstreamResponse {
    const { isDelimited } = this
    const source = { body: rewriteBody(this.#bodyWithId(idText), rewrite), length: undefined, isDelimited }
    return new UpstreamResponse(undefined, source, this.#secrets)
  }

  #bodyWithId(idText: string) {
    return this.#id ? withOtherId(this.#body, this.#id, idText) : this.#body
  }

  /** Calls a listener when the rest of a response that is not buffered was read or discarded. */
  onceClosed(listener: () => void): void {
    this.#body.once('close', listener)
  }

  /** Discards the response. A long rest closes the connection to the upstream. Never rejects. */
  drain(): Promise<void> {
    return this.#body.dump()
  }

  /** Discards the response, and closes the connection to the upstream if it has not arrived completely. */
  cancel(): void {
    if (!this.isBuffered) this.#body.destroy()
  }

  get #body(): Body {
    return this.#source.body ?? bodyOf(this.#bytes)
  }

  // A copy of a string also releases the string from which it was sliced: that of all bytes that arrived together.
  get #bytes(): Buffer | undefined {
    const buffered = this.#buffered
    return typeof buffered === 'string' ? Buffer.from(buffered, 'latin1') : buffered
  }
}

/** Converts a text to its UTF-8 bytes, with one character per byte. */
function toLatin1(text: string): string {
  return isAscii(text) ? text : Buffer.from(text).toString('latin1')
}

/** In UTF-8, only ASCII text has one byte per character. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}
