/** Tracks the messages of a call that can resume at another upstream. */
export interface ResumableStream {
  /** Accepts request bytes and returns those that may be sent. Throws a GrpcError. */
  transformRequests(bytes: Uint8Array): Uint8Array
  /** Accepts response bytes and returns those that the client has not received. Throws a GrpcError. */
  transformUpdates(bytes: Uint8Array): Uint8Array
  /** Returns the first bytes for the next upstream; undefined when the call cannot resume. */
  resume(): Uint8Array | undefined
}
