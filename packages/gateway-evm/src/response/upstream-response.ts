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
} from './body.ts'
import { type ClassifiedCall, classifyResponse, type ResponseClass } from './classify-response.ts'
import { isErrorPrefix, isErrorText } from './error-prefix.ts'
import { isResultWithId, parseResult, responseText, type RpcResponse, toRpcResponse } from './rpc-response.ts'

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
  readonly #value: unknown

  private constructor(
    buffered: string | Buffer | undefined,
    source: Source,
    secrets?: readonly string[],
    value?: unknown,
  ) {
    this.#buffered = buffered
    this.#source = source
    this.#secrets = secrets
    this.#value = value
  }

  /** @param secrets - texts that an error must not contain */
  static received(response: Received, secrets?: readonly string[]): UpstreamResponse {
    return new UpstreamResponse(response.latin1 ?? response.bytes, response, secrets)
  }

  /**
   * @param content - bytes, or a string with one character per byte
   * @param secrets - texts that an error must not contain
   * @param value - the parsed content, if it was already parsed
   */
  static buffered(content: string | Buffer, secrets?: readonly string[], value?: unknown): UpstreamResponse {
    return new UpstreamResponse(content, { length: content.length, isDelimited: true }, secrets, value)
  }

  /** Creates the response to one call of a batch from a part of this response. */
  part(latin1: string, value?: unknown): UpstreamResponse {
    return UpstreamResponse.buffered(latin1, this.#secrets, value)
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

  /** A buffered response that begins like an object, if it was received as a string and is ASCII. */
  get asciiObject(): string | undefined {
    const { object } = this
    return typeof object === 'string' && isAscii(object) ? object : undefined
  }

  /** Whether the response is buffered and has a result. */
  get isBufferedResult(): boolean {
    const { latin1 } = this
    return latin1 !== undefined && !isErrorText(latin1)
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

  /** Replaces the result of a buffered response. */
  withResult(resultJson: string): UpstreamResponse {
    const { id = null } = this.parse()
    return UpstreamResponse.buffered(Buffer.from(resultText(JSON.stringify(id), resultJson)))
  }

  /**
   * Returns the text of a buffered response if it can be passed through unchanged: a result with the id of the request.
   *
   * @param idText - id that any upstream returns unchanged
   * @returns undefined for every other response
   */
  tryPassThrough(idText: string): string | undefined {
    const text = this.#buffered
    if (typeof text !== 'string' || !isAscii(text)) return undefined
    return isResultWithId(idText, this.#value ?? parseJson(text)) ? text : undefined
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
    return bytes ? UpstreamResponse.buffered(bytes, this.#secrets) : this
  }

  /** Buffers a response of any length. Throws as {@link readText}. */
  async buffer(reservation: Reservation, signal: CancellationSignal): Promise<UpstreamResponse> {
    if (this.isBuffered) return this
    return UpstreamResponse.buffered(await readAll(this.#body, reservation, signal), this.#secrets)
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

  /** As {@link readWithId}, as UTF-8. A buffered response that begins like an object is passed through verbatim. */
  async readUtf8(idText: string, reading: Reading): Promise<Buffer> {
    const bytes = this.object === undefined ? undefined : this.#bytes
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

  /** Streams the response to a client, as {@link streamObject}. */
  streamTo(client: HttpResponse, signal: CancellationSignal, listener: StreamListener): Streamed {
    return streamObject(this.#body, client, signal, listener)
  }

  /** Transforms the text of the response while it streams, as {@link rewriteBody}. */
  rewrite(rewrite: (text: string) => string): UpstreamResponse {
    const { isDelimited } = this
    const source = { body: rewriteBody(this.#body, rewrite), length: undefined, isDelimited }
    return new UpstreamResponse(undefined, source, this.#secrets)
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

/** In UTF-8, only ASCII text has one byte per character. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}
