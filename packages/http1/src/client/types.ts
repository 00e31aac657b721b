import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import type { CancellationSignal, Tenant } from '@fairlead/runtime'

/** A request to an upstream. */
export interface Http1Call {
  readonly method: 'GET' | 'HEAD' | 'POST'
  /** Path and query. */
  readonly target: string
  /** Header lines other than host, content-length, accept-encoding and those of the connection; see `headerLines`. */
  readonly fields: string
  readonly body?: string | Uint8Array | undefined
  /** Cancels the exchange, also while the body is read. */
  readonly signal?: CancellationSignal | undefined
  /**
   * How the call shares a connection. `short` calls are pipelined. `long` calls have a connection to themselves.
   * `streaming` calls have a connection that counts towards no limit and has no timeout.
   */
  readonly latencyClass: 'short' | 'long' | 'streaming'
  /**
   * Whether the upstream may receive the call twice. A repeatable call is sent again on another connection when its
   * connection closes before the first byte of the response. Any other call is never pipelined behind another.
   */
  readonly isRepeatable: boolean
  /**
   * Whether a short response is buffered: it is delivered whole, and an interrupted response is an error instead of a
   * partial response. Buffering takes one second at most.
   */
  readonly isBuffered?: boolean | undefined
  /** Checks the response before the caller receives it. */
  readonly check?: ResponseCheck | undefined
  /** Who the call belongs to: tenants share the connections. Undefined for calls of the gateway itself. */
  readonly tenant?: Tenant | undefined
  /**
   * Called every 50 ms while the response has begun and stalled. The response is the call's own, if it is buffered, or
   * one before it on the connection.
   */
  readonly listener?: StallListener | undefined
}

/**
 * Checks a response. An error of kind `mismatched` that it throws ends the connection: its other calls, and this one if
 * it is repeatable, are sent again.
 */
export interface ResponseCheck {
  /**
   * A response begins; called again when the call was sent again.
   *
   * @param isAlone - whether the connection had no other call since this one was sent
   */
  begin(status: number, isAlone: boolean): void
  /**
   * Receives a whole body, with one character per byte.
   *
   * @throws Http1Error for a body that must not be forwarded
   */
  onBody(latin1: string): void
  /**
   * Receives the next part of a long body.
   *
   * @throws Http1Error as {@link onBody}
   */
  onPart(bytes: Uint8Array): void
}

/** Receives a notification when a response has begun and then stalls. */
export interface StallListener {
  /** No byte arrived for half a second. The response may still complete. Must not throw. */
  stalled?(): void
}

/** A response. The caller must read, dump or destroy its body, unless `bytes` contains it. */
export interface ReceivedResponse {
  readonly status: number
  /**
   * Headers by lower-case name. Repeated values are joined with a comma, except where only one value makes sense: there
   * the first one counts.
   */
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string | undefined
  /** Returns one header, which is cheaper than reading all of them. */
  header(name: string): string | undefined
  /** Length of the body in bytes, when the headers contain it. */
  readonly length: number | undefined
  /** The whole body, when it is short and arrived at once. */
  readonly bytes: Buffer | undefined
  /** The whole body with one character per byte, when it arrived in one piece. */
  readonly latin1: string | undefined
  /** The body as a stream, also when `bytes` contains it; created on first access. */
  readonly body: ResponseStream
  /** Whether a body that is cut off can be distinguished from one that is complete. */
  readonly isDelimited: boolean
}

/** A readable response body. */
export type ResponseStream = Readable & {
  /**
   * Discards the rest of the body. A short rest is read and dropped; a longer one closes the connection. Never rejects.
   */
  dump(): Promise<void>
}

/** Called once, when the response headers have arrived or the exchange has failed. Must not throw. */
export type ExchangeEnd = (error: Error | undefined, response?: ReceivedResponse) => void

/** The HTTP/1.1 connections to one upstream. */
export interface Http1Connections {
  /**
   * When the last byte arrived on any of the connections, as a time of `performance.now()`; -Infinity before the first.
   */
  readonly lastBytesAt: number
  /** Number of responses that belonged to no call, or to another one. Each of them ended its connection. */
  readonly mismatchedResponses: number
  /**
   * Sends a request.
   *
   * @param call - the request
   * @param done - called once, with a {@link ReceivedResponse} or an `Http1Error`
   */
  exchange(call: Http1Call, done: ExchangeEnd): void
  /** Same as {@link exchange}, as a promise. */
  request(call: Http1Call): Promise<ReceivedResponse>
  /** Ends all exchanges and closes all connections. */
  close(): Promise<void>
}

/** Opens a connection with options of `net.connect` and `tls.connect`, over TLS if `isSecure`. */
export type Connect = (
  options: ConnectionOptions & { readonly host: string; readonly port: number },
  isSecure: boolean,
) => Socket

/** Options of the connections to one upstream. */
export interface Http1Options {
  readonly connect: Connect
  /** Connection timeout, including the TLS handshake. */
  readonly connectTimeoutMs: number
  /** Timeout for the response headers, counted from the call. */
  readonly headTimeoutMs: number
  /** Maximum time between two chunks of a body that is being read. */
  readonly bodyTimeoutMs: number
  /** Maximum number of simultaneous connections; streaming exchanges do not count. */
  readonly maxConnections: number
  /** PEM file of the CA that signed the upstream's certificate, in place of the CAs that the system trusts. */
  readonly certificateAuthorityFile?: string | undefined
}
