import type { Metadata } from './metadata.ts'

/** What a call begins with. */
export interface CallStart {
  /** `/<package>.<Service>/<Method>` */
  readonly path: string
  readonly metadata?: Metadata | undefined
  /** Milliseconds until the call ends with DEADLINE_EXCEEDED; sent to the server as well. None when left out. */
  readonly timeoutMs?: number | undefined
  /** Cancels the call; what waits then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** False where the caller sends one message only; some transports send such a call in another way. */
  readonly requestStream?: boolean | undefined
  /** False where the server answers with one message only. */
  readonly responseStream?: boolean | undefined
}

/**
 * A call under way: whole messages out and in, as bytes. The sender waits where the receiver does: messages that nobody
 * reads stay on the other side once the window is full.
 */
export interface Call {
  /** Metadata that came before the first message; rejects as the call does when none came. */
  readonly headers: Promise<Metadata>
  /** Metadata of the end, without the status; set once {@link readable} has said that the call is over. */
  readonly trailers: Metadata | undefined
  /** Takes the next message that has arrived whole; undefined when none waits. Valid bytes for as long as they are kept. */
  read(): Uint8Array | undefined
  /**
   * Waits until {@link read} has a message (true) or the call has ended with OK and all of it was read (false).
   *
   * @throws GrpcError for any other status, after the messages that came before it; the reason of the signal
   */
  readable(): Promise<boolean>
  /** Sends a message; resolves when there is room for another one, and also when the call has ended. */
  send(message: Uint8Array): Promise<void>
  /** Says that no message follows. */
  end(): void
  /** Ends the call at once on both sides; what waits fails with the reason, or with CANCELLED without one. */
  cancel(reason?: unknown): void
}

/** A way to reach a server. */
export interface Transport {
  /** Begins a call; what goes wrong, a lack of a connection included, shows in the call. */
  open(start: CallStart): Call
  /** Ends the connections; calls under way end with CANCELLED. */
  close(): Promise<void>
}
