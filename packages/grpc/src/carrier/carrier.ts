import type { CallStart, Metadata } from '@fairlead/grpc-transport/wire'

/** The answer to a call: its headers are there, its messages are read as they are asked for. */
export interface Answer {
  readonly headers: Metadata
  /** Set once {@link pull} has said that nothing follows. */
  readonly trailers: Metadata | undefined
  /** Takes the next message that has come whole. */
  read(): Uint8Array | undefined
  /** Waits until there is a message (true) or the answer has ended with OK (false). */
  pull(): Promise<boolean>
}

/** One call on its way over something that is no transport of ours. */
export interface Carrier {
  /** Resolves with the headers; rejects, as `pull` of the answer does, with whatever the other library throws. */
  readonly answer: Promise<Answer>
  /** Sends a message; resolves when there is room for another one. */
  send(message: Uint8Array): Promise<void>
  /** Says that no message follows. */
  end(): void
}

/** Begins a call; the signal ends it on both sides. */
export type Carry = (start: CallStart, signal: AbortSignal) => Carrier
