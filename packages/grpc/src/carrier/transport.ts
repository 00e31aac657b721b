import { type Call, GrpcError, Status, type Transport } from '@fairlead/grpc-transport/wire'
import { openCall } from './call.ts'
import type { Carry } from './carrier.ts'

/** What a transport over another library is made of. */
export interface TransportParts {
  readonly carry: Carry
  /** Says what the other library's error means; errors of ours are not asked about. */
  statusOf(error: unknown): GrpcError
  /** Ends the connections. */
  close?(): void
}

/** Makes a transport out of something that carries single calls. */
export function transportOver({ carry, statusOf, close }: TransportParts): Transport {
  const open = new Set<() => void>()
  let isClosed = false
  return {
    open(start) {
      // First, as a call may be over before it is there.
      const cancel = () => call.cancel(closedError())
      open.add(cancel)
      const call: Call = openCall(start, {
        carry: isClosed ? refuse : carry,
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
