import type { OutgoingHttpHeaders } from 'node:http2'
import type { Readable, Writable } from 'node:stream'

/** Maximum number of buffered bytes for a client that reads more slowly than the upstream sends. */
export const maxResponseBytes = 256 << 10

/** The client's side of a call, for every form of gRPC. */
export interface Downstream {
  /** Framed messages of the client. An error that is a GrpcError ends the call with that status. */
  readonly requests: Readable
  /** Stream of the response. Emits `drain`, and `close` when the response has ended or the client has disconnected. */
  readonly response: Writable
  /** Sends the response headers. */
  sendHeaders(headers: OutgoingHttpHeaders): void
  /** Sends framed messages. Returns false when the client accepts no more for now. */
  write(bytes: Uint8Array): boolean
  /** Ends the response with trailers, which are the whole response when no headers were sent. */
  end(trailers: OutgoingHttpHeaders): void
  /** Ends the response without trailers. */
  destroy(): void
}
