import type { ServerStream } from './server-call.ts'

/** The dependencies of a call handler. */
export interface ServeContext {
  /** Compresses messages; undefined when the two sides did not agree on an encoding. */
  readonly compress: ((message: Uint8Array) => Uint8Array) | undefined
  /** Called with errors that are not sent to a client. */
  onFault(error: unknown): void
}

/** Serves one call; a GrpcError that it throws becomes the status. */
export type ServeCall = (stream: ServerStream, context: ServeContext) => Promise<void>
