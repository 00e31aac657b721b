import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { CancellationSignal } from '@fairlead/http1'
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

/** The failure to connect: the call was not sent, so that it may go to another node whatever it does. */
export class ConnectError extends RestError {}

/** The HTTP connections to one node. */
export interface RestUpstream {
  /**
   * Sends a request and waits for the head of its answer. An answer that is not 2xx is held whole, its body in the shape
   * of the API's errors and without a word of where the node is.
   *
   * @throws {@link ConnectError} when the node has seen nothing of the call
   * @throws RestError with status 502 or 504 when the exchange came to no end, and 502 when the node refuses the
   * credential in its address
   */
  request(call: RestCall): Promise<StreamedResponse | BufferedResponse>
  close(): Promise<void>
}
