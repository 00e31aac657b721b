import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { CancellationSignal, StallListener } from '@fairlead/http1'
import type { Connection } from '../upstream/upstream.ts'
import type { UpstreamError, UpstreamErrorKind } from '../upstream/upstream-error.ts'
import { RestError } from './rest-error.ts'

/** One request to a node. */
export interface RestCall {
  readonly method: 'GET' | 'POST'
  /** Path and query below the node's address, as they came, for example `/v1/peers?state=connected`. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  /** Credential of the client; undefined for calls of the gateway itself. */
  readonly owner?: string | undefined
  /** Ends the exchange, also while the answer's body is read. */
  readonly signal: CancellationSignal
  /**
   * Set for an answer that has no end: its head and its body may be late for any time, and it takes no connection away
   * from other calls.
   */
  readonly endless?: boolean | undefined
  /** Whether a short response comes whole, or not at all where it breaks off. */
  readonly isBuffered?: boolean | undefined
  /** Called while such a response has begun and stopped. */
  readonly listener?: StallListener | undefined
  /** Set where the status alone is the answer, whatever it is. */
  readonly statusOnly?: boolean | undefined
}

/** A good answer on its way back: its status is 2xx, and the body has not been read. */
export interface StreamedResponse {
  readonly status: number
  /** Only those that a client may see. */
  readonly headers: IncomingHttpHeaders
  readonly body: Readable & { dump(): Promise<void> }
  /** The whole body, when it is short and has arrived with the head; reading it leaves nothing to be read from the stream. */
  readonly whole?: Buffer | undefined
}

/** An answer that is held whole. */
export interface BufferedResponse {
  readonly status: number
  /** Only those that a client may see. */
  readonly headers: IncomingHttpHeaders
  readonly bytes: Uint8Array
}

/** A response on its way back. */
export type RestResponse = StreamedResponse | BufferedResponse

/** An exchange that came to no end, or to one that is no response of the API. */
export class RestUpstreamError extends RestError {
  /** What it says of the upstream. */
  readonly failure: UpstreamError

  constructor(failure: UpstreamError, message = failure.message) {
    super(failure.status, message)
    this.failure = failure
  }

  /** Names the failure in traces. */
  get kind(): UpstreamErrorKind {
    return this.failure.kind
  }
}

/** The HTTP connections to one upstream. */
export interface RestUpstream extends Connection {
  /**
   * Sends a request and waits for the head of its answer. An answer that is not 2xx is held whole, its body in the shape
   * of the API's errors and without a word of where the node is.
   *
   * @throws {@link RestUpstreamError} with status 502 or 504 when the exchange came to no end, and 502 when the upstream
   * refuses the credential in its URL
   */
  request(call: RestCall): Promise<RestResponse>
  close(): Promise<void>
}
