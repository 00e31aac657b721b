import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { CancellationSignal, Tenant } from '@fairlead/runtime'
import type { StallListener } from '@fairlead/http1'
import type { Connection } from '../upstream/upstream.ts'
import type { UpstreamError, UpstreamErrorKind } from '../upstream/upstream-error.ts'
import { RestError } from './rest-error.ts'

/** The media types of an API. */
export interface MediaRules {
  /** Name of the API in error messages. */
  readonly api: string
  /** Media types of a successful response; empty = any type. */
  readonly types: readonly string[]
}

/** One request to an upstream. */
export interface RestCall {
  readonly method: 'GET' | 'POST'
  /** Path and query relative to the upstream's URL, unchanged, for example `/v1/peers?state=connected`. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  /** The client; undefined for calls of the gateway itself. */
  readonly tenant: Tenant | undefined
  /** Cancels the exchange, also while the response body is read. */
  readonly signal: CancellationSignal
  /**
   * Set for a response that does not end. Its headers and its body have no timeout, and it does not count towards the
   * connection limit of other calls.
   */
  readonly isStreaming?: boolean | undefined
  /** Whether a short response is delivered whole, or not at all when it is interrupted. */
  readonly isBuffered?: boolean | undefined
  /** Called while such a response has begun and stalled. */
  readonly listener?: StallListener | undefined
  /** The media types that the response may have. Another one is a failure of the upstream. */
  readonly media?: MediaRules | undefined
  /** Set when only the status of the response matters, whatever its value. */
  readonly statusOnly?: boolean | undefined
}

/** A successful response: its status is 2xx, and the body has not been read. */
export interface StreamedResponse {
  readonly status: number
  /** Headers that the client may see. */
  readonly headers: IncomingHttpHeaders
  readonly body: Readable & { dump(): Promise<void> }
  /**
   * The whole body, when it is short and has arrived with the headers; reading it leaves nothing to be read from the
   * stream.
   */
  readonly buffered?: Buffer | undefined
}

/** A buffered response. */
export interface BufferedResponse {
  readonly status: number
  /** Headers that the client may see. */
  readonly headers: IncomingHttpHeaders
  readonly bytes: Uint8Array
}

/** A streamed or buffered response. */
export type RestResponse = StreamedResponse | BufferedResponse

/** An exchange that failed, or whose response is not one of the API. */
export class RestUpstreamError extends RestError {
  /** The failure of the upstream. */
  readonly failure: UpstreamError

  constructor(failure: UpstreamError, message = failure.message) {
    super(failure.status, message)
    this.failure = failure
  }

  /** The kind of the failure, for traces. */
  get kind(): UpstreamErrorKind {
    return this.failure.kind
  }
}

/** The HTTP connections to one upstream. */
export interface RestUpstream extends Connection {
  /**
   * Sends a request and waits for the response headers. A response that is not 2xx is buffered. Its body has the
   * format of the API's errors and does not reveal the URL of the upstream.
   *
   * @throws {@link RestUpstreamError} with status 502 or 504 when the exchange failed, and 502 when the upstream
   * rejects the credential in its URL
   */
  request(call: RestCall): Promise<RestResponse>
  close(): Promise<void>
}
