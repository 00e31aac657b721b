import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import type { CancellationSignal } from '../cancellation.ts'

/** A request to an upstream. */
export interface Http1Call {
  readonly method: 'GET' | 'HEAD' | 'POST'
  /** Path and query. */
  readonly target: string
  /** Field lines beside host, content-length, accept-encoding and those of the connection; see `headerLines`. */
  readonly fields: string
  readonly body?: string | Uint8Array | undefined
  /** Ends the exchange, also while the body is read. */
  readonly signal?: CancellationSignal | undefined
  /**
   * How the call shares a connection: `quick` ones are pipelined, `slow` ones have a connection to themselves, and `endless`
   * ones have one that counts against no limit, and no timeout.
   */
  readonly pace: 'quick' | 'slow' | 'endless'
  /**
   * Whether the upstream may get the call twice. One that may is sent again, on another connection, when its own ends
   * before the first byte of the response; one that may not is never pipelined behind another.
   */
  readonly isRepeatable: boolean
  /**
   * Whether a short response is buffered: it is delivered whole, and one that is interrupted is an error instead of half a
   * response. Buffering takes a second at most.
   */
  readonly isBuffered?: boolean | undefined
  /** Makes what follows the body of a long answer as it arrives; what it throws ends the exchange. */
  readonly inspector?: (() => BodyInspector) | undefined
  /** Credential that the call belongs to: owners share the connections. Undefined for calls of the gateway itself. */
  readonly owner?: string | undefined
  /** Called every 50 ms while a response that is buffered, or one before it on the connection, has begun and stopped. */
  readonly listener?: StallListener | undefined
}

/** Follows the body of an answer. */
export interface BodyInspector {
  /** @throws Http1Error for a body that must not be passed on */
  inspect(bytes: Uint8Array): void
}

/** A caller that can act when an answer has begun and no further byte of it comes. */
export interface StallListener {
  /** No byte came for half a second. The answer may still come to its end. It must not throw. */
  stalled?(): void
}

/** An answer on its way back. Its body has to be read, dumped or destroyed, unless `bytes` has it. */
export interface ReceivedResponse {
  readonly status: number
  /**
   * By lower-case name. Values of one that comes several times are joined with a comma, except where only one makes
   * sense: there the first counts.
   */
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string | undefined
  /** One of the headers, which is cheaper than all of them. */
  header(name: string): string | undefined
  /** Length of the body in bytes, when the head tells it. */
  readonly length: number | undefined
  /** The whole body, when it is short and was there at once. */
  readonly bytes: Buffer | undefined
  /** The same with a character for each byte, when it came in one piece. */
  readonly latin1: string | undefined
  /** The body to be read, also when `bytes` has it; made when it is first asked for. */
  readonly body: ResponseStream
  /** Whether a body that breaks off can be told from one that has ended. */
  readonly isDelimited: boolean
}

/** A body to be read. */
export type ResponseStream = Readable & {
  /** Gives the rest up: a short one is read and dropped, a longer one ends the connection. It never rejects. */
  dump(): Promise<void>
}

/** Hears once how an exchange went: the answer's head has come, or what went wrong. It must not throw. */
export type ExchangeEnd = (error: Error | undefined, answer?: ReceivedResponse) => void

/** The HTTP/1.1 connections to one upstream. */
export interface Http1Connections {
  /** When a byte came over any of the connections, on the clock of `performance.now()`; -Infinity before the first. */
  readonly lastBytesAt: number
  /**
   * Sends a request.
   *
   * @param call - the request
   * @param done - called once, with an {@link ReceivedResponse} or an `Http1Error`
   */
  exchange(call: Http1Call, done: ExchangeEnd): void
  /** As {@link exchange}. */
  request(call: Http1Call): Promise<ReceivedResponse>
  /** Ends all exchanges and connections. */
  close(): Promise<void>
}

/** Opens a connection, by TLS if it is to be secure, with options of `net.connect` and `tls.connect`. */
export type Connect = (
  options: ConnectionOptions & { readonly host: string; readonly port: number },
  isSecure: boolean,
) => Socket

/** How connections behave. */
export interface Http1Options {
  readonly connect: Connect
  /** Longest wait for a connection, with its TLS handshake. */
  readonly connectTimeoutMs: number
  /** Longest wait for the head of an answer, counted from the call. */
  readonly headTimeoutMs: number
  /** Longest wait for the next bytes of a body that is being read. */
  readonly bodyTimeoutMs: number
  /** Most connections at a time; endless exchanges do not count. */
  readonly maxConnections: number
  /** PEM file of the authority that signed the upstream's certificate, in place of those that the system trusts. */
  readonly certificateAuthorityFile?: string | undefined
}
