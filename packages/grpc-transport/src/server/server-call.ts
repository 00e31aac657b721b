import type { Metadata } from '../wire/metadata.ts'
import type { StatusCode } from '../wire/status.ts'

/** A call from the point of view of a method handler. */
export interface ServerCall {
  /** `/<package>.<Service>/<Method>` */
  readonly path: string
  /** Metadata sent by the client. */
  readonly metadata: Metadata
  /** IP address of the peer; undefined when the connection is closed. */
  readonly remoteAddress: string | undefined
  /** Time of {@link performance.now} at which the call ends with DEADLINE_EXCEEDED; undefined without a deadline. */
  readonly deadline: number | undefined
  /** Aborted with a GrpcError when the call ends in any other way than by its handler. */
  readonly signal: AbortSignal
  /**
   * Sends the headers immediately, not with the first message.
   *
   * @throws GrpcError INVALID_ARGUMENT for metadata that cannot be sent
   */
  sendHeaders(metadata?: Metadata): void
  /** Sets the metadata that is sent with an OK status. */
  setTrailers(metadata: Metadata): void
}

/** A call in bytes: messages in, framed messages out. */
export interface ServerStream extends ServerCall {
  /** Returns the next message that has arrived completely; undefined when there is none. */
  read(): Uint8Array | undefined
  /**
   * Waits until {@link read} has a message (true) or the client has ended its side (false).
   *
   * @throws GrpcError with which the call ended
   */
  readable(): Promise<boolean>
  /**
   * Writes one or more framed messages, created by `frameMessage`. The bytes are read at the end of the event-loop tick
   * and may be shared by many streams; they must not change. A call that has ended ignores them.
   *
   * @returns false when the client does not read fast enough: wait for {@link drained}, or end the call
   */
  write(frames: Uint8Array): boolean
  /** Waits until more can be written; resolves also when the call has ended. */
  drained(): Promise<void>
  /** Bytes that were written but not yet sent to the socket. */
  readonly bufferedBytes: number
  /** True once the call has ended, whichever side ended it. */
  readonly hasEnded: boolean
  /** Ends the call with a status, default OK, after the written messages. It does nothing on a call that has ended. */
  end(code?: StatusCode, detail?: string, metadata?: Metadata): void
}
