import type { Call } from '@fairlead/grpc-transport/wire'
import type { Requests } from './types.ts'

/** The source of the requests of one call. */
export type RequestSource<request> = AsyncIterator<request> | Iterator<request>

/** Starts to iterate over the requests; throws a TypeError for a value that is not iterable. */
export function requestSource<request>(requests: Requests<request>): RequestSource<request> {
  return Symbol.asyncIterator in requests ? requests[Symbol.asyncIterator]() : requests[Symbol.iterator]()
}

/**
 * Sends the requests of a source, no faster than the server reads them, and ends the sending side with the source.
 *
 * A source that throws cancels the call with its error.
 *
 * @returns a function that stops the source, for a call that has ended
 */
export function sendRequests<request>(
  call: Call,
  source: RequestSource<request>,
  encode: (request: request) => Uint8Array,
): () => void {
  let isStopped = false
  const send = async () => {
    for (;;) {
      const { done, value } = await source.next()
      if (isStopped) return
      if (done) return call.end()
      await call.send(encode(value))
    }
  }
  send().catch((error: unknown) => {
    stop()
    call.cancel(error)
  })
  // A source that waits for its next request must be notified that no more requests will be sent.
  const stop = () => {
    if (isStopped) return
    isStopped = true
    void (async () => source.return?.())().catch(() => undefined)
  }
  return stop
}
