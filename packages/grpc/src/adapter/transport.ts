import { type Call, GrpcError, Status, type Transport } from '@fairlead/grpc-transport/wire'
import { openCall } from './call.ts'
import type { StartCall } from './adapter-call.ts'

/** The parts of a transport over another library. */
export interface TransportAdapter {
  readonly startCall: StartCall
  /** Maps an error of the other library to a status; not called for a GrpcError. */
  statusOf(error: unknown): GrpcError
  /** Closes the connections. */
  close?(): void
}

/** Creates a transport from a function that begins single calls. */
export function createAdapterTransport({ startCall, statusOf, close }: TransportAdapter): Transport {
  const open = new Set<() => void>()
  let isClosed = false
  return {
    open(start) {
      // Comes first, because a call may end before the variable is set.
      const cancel = () => call.cancel(closedError())
      open.add(cancel)
      const call: Call = openCall(start, {
        startCall: isClosed ? refuse : startCall,
        statusOf: (error) => (GrpcError.is(error) ? error : statusOf(error)),
        onEnd: () => open.delete(cancel),
      })
      return call
    },
    async close() {
      isClosed = true
      for (const cancel of open) cancel()
      close?.()
    },
  }
}

function closedError(): GrpcError {
  return new GrpcError(Status.CANCELLED, 'the client was closed')
}

function refuse(): never {
  throw closedError()
}
