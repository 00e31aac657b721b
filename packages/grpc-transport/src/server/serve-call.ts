import type { ServerStream } from './server-call.ts'

/** What serving a call needs beside the call. */
export interface ServeContext {
  /** Compresses messages; undefined where the two sides did not agree on an encoding. */
  readonly compress: ((message: Uint8Array) => Uint8Array) | undefined
  /** Hears of errors that no client is told about. */
  onFault(error: unknown): void
}

/** Serves one call; a GrpcError that it throws is the status. */
export type ServeCall = (stream: ServerStream, context: ServeContext) => Promise<void>
