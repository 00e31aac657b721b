import type { StatusCode } from '@fairlead/grpc-transport/wire'

/** Callbacks for the progress of a call. */
export interface CallObserver {
  /** Called with the bytes of framed messages on their way to the upstream. */
  onRequest(bytes: Uint8Array): void
  /** Called with the bytes of framed messages on their way to the client. */
  onResponse(bytes: Uint8Array): void
  /** Called when the client does not read the buffered bytes. */
  onStall(): void
  /** Called when the client reads again. */
  onResume(): void
  /** Called once, at the end of the call. */
  onEnd(code: StatusCode): void
}
