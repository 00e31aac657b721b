import type { Metadata } from '../wire/metadata.ts'
import type { StatusCode } from '../wire/status.ts'

/** A call as the handler of a method sees it. */
export interface ServerCall {
  /** `/<package>.<Service>/<Method>` */
  readonly path: string
  /** Metadata of the client. */
  readonly metadata: Metadata
  /** Address of the other end of the connection; undefined once it is gone. */
  readonly remoteAddress: string | undefined
  /** Time of {@link performance.now} at which the call ends with DEADLINE_EXCEEDED; undefined without a deadline. */
  readonly deadline: number | undefined
  /** Aborted with a GrpcError when the call ends in any other way than by its handler. */
  readonly signal: AbortSignal
  /**
   * Sends the headers now, not with the first message.
   *
   * @throws GrpcError INVALID_ARGUMENT for metadata that cannot be sent
   */
  sendHeaders(metadata?: Metadata): void
  /** Sets the metadata that is sent beside an OK status. */
  setTrailers(metadata: Metadata): void
}

/** A call in bytes: messages in, framed messages out. */
export interface ServerStream extends ServerCall {
  /** Takes the next message that has arrived whole; undefined when none waits. */
  read(): Uint8Array | undefined
  /**
   * Waits until {@link read} has a message (true) or the client has said that none follows (false).
   *
   * @throws GrpcError with which the call ended
   */
  readable(): Promise<boolean>
  /**
   * Writes one or more framed messages, as `frameMessage` makes them. The bytes are read when the turn of the event loop
   * is over and may be shared by many streams; they must not change. A call that has ended lets them fall.
   *
   * @returns false when the client does not keep up: wait for {@link drained}, or end the call
   */
  write(frames: Uint8Array): boolean
  /** Waits until there is room for more; resolves also when the call has ended. */
  drained(): Promise<void>
  /** Bytes that were written and have not left to the socket. */
  readonly bufferedBytes: number
  /** True once the call has ended, whoever ended it. */
  readonly hasEnded: boolean
  /** Ends the call with a status, OK when left out, after what was written. It does nothing on a call that has ended. */
  end(code?: StatusCode, detail?: string, metadata?: Metadata): void
}
