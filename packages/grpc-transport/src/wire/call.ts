import type { Metadata } from './metadata.ts'

/** The parameters of a call. */
export interface CallStart {
  /** `/<package>.<Service>/<Method>` */
  readonly path: string
  readonly metadata?: Metadata | undefined
  /** Milliseconds until the call ends with DEADLINE_EXCEEDED; also sent to the server. Default: no deadline. */
  readonly timeoutMs?: number | undefined
  /** Cancels the call; pending waits fail with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** False when the caller sends one message only; some transports send such a call in another way. */
  readonly requestStream?: boolean | undefined
  /** False when the server responds with one message only. */
  readonly responseStream?: boolean | undefined
}

/**
 * An open call that sends and receives complete messages as bytes. Flow control applies in both directions: unread
 * messages stay on the other side once the window is full.
 */
export interface Call {
  /** Metadata that arrived before the first message; rejects like the call when none arrived. */
  readonly headers: Promise<Metadata>
  /** Metadata at the end, without the status; set once {@link readable} has reported the end of the call. */
  readonly trailers: Metadata | undefined
  /** Returns the next message that has arrived completely; undefined when there is none. The bytes remain valid. */
  read(): Uint8Array | undefined
  /**
   * Waits until {@link read} has a message (true) or the call has ended with OK and all messages were read (false).
   *
   * @throws GrpcError for any other status, after the messages that arrived before it; the reason of the signal
   */
  readable(): Promise<boolean>
  /** Sends a message; resolves when another one can be sent, and also when the call has ended. */
  send(message: Uint8Array): Promise<void>
  /** Ends the sending side: no message follows. */
  end(): void
  /** Ends the call immediately on both sides; pending waits fail with the reason, or with CANCELLED without one. */
  cancel(reason?: unknown): void
}

/** Sends calls to a server. */
export interface Transport {
  /** Begins a call; errors, including a failed connection, appear in the call. */
  open(start: CallStart): Call
  /** Closes the connections; open calls end with CANCELLED. */
  close(): Promise<void>
}
