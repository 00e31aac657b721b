import type { CallStart, Metadata } from '@fairlead/grpc-transport/wire'

/** The response to a call: its headers have arrived, its messages are read on demand. */
export interface AdapterResponse {
  readonly headers: Metadata
  /** Set once {@link pull} has reported the end. */
  readonly trailers: Metadata | undefined
  /** Returns the next message that has arrived completely. */
  read(): Uint8Array | undefined
  /** Waits for a message (true) or for the end of the response with OK (false). */
  pull(): Promise<boolean>
}

/** One open call over another library. */
export interface AdapterCall {
  /** Resolves with the headers; rejects, like `pull` of the response, with any error of the other library. */
  readonly response: Promise<AdapterResponse>
  /** Sends a message; resolves when another one can be sent. */
  send(message: Uint8Array): Promise<void>
  /** Ends the sending side: no message follows. */
  end(): void
}

/** Begins a call; the signal ends it on both sides. */
export type StartCall = (start: CallStart, signal: AbortSignal) => AdapterCall
