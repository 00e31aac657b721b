import type { OutgoingHttpHeaders } from 'node:http2'
import type { Readable, Writable } from 'node:stream'

/** The client's side of a call, whatever form of gRPC it speaks. */
export interface Downstream {
  /** Framed messages of the client; an error that is a GrpcError ends the call with that status. */
  readonly requests: Readable
  /** What the answer is written to: tells of `drain`, and of `close` when the answer is over or the client is gone. */
  readonly answer: Writable
  /** Sends the headers of the answer. */
  begin(headers: OutgoingHttpHeaders): void
  /** Sends framed messages; false when the client takes no more for now. */
  write(bytes: Uint8Array): boolean
  /** Ends the answer with trailers, which are the whole answer when it was not begun. */
  end(trailers: OutgoingHttpHeaders): void
  /** Ends the answer without them. */
  destroy(): void
}
