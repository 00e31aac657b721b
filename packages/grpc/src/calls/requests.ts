import type { Call } from '@fairlead/grpc-transport/wire'
import type { Requests } from './types.ts'

/** Where the requests of one call come from. */
export type RequestSource<request> = AsyncIterator<request> | Iterator<request>

/** Begins to take requests; a TypeError for what is not iterable. */
export function requestSource<request>(requests: Requests<request>): RequestSource<request> {
  return Symbol.asyncIterator in requests ? requests[Symbol.asyncIterator]() : requests[Symbol.iterator]()
}

/**
 * Sends what a source gives, no faster than the server takes it, and ends the call's sending side with the source.
 *
 * A source that throws cancels the call with what it threw.
 *
 * @returns a function that stops the source, for a call that is over
 */
export function sendRequests<request>(
  call: Call,
  source: RequestSource<request>,
  encode: (request: request) => Uint8Array,
): () => void {
  let over = false
  const send = async () => {
    for (;;) {
      const { done, value } = await source.next()
      if (over) return
      if (done) return call.end()
      await call.send(encode(value))
    }
  }
  send().catch((error: unknown) => {
    stop()
    call.cancel(error)
  })
  // A source that waits for its next request has to learn that nobody will send it any more.
  const stop = () => {
    if (over) return
    over = true
    void (async () => source.return?.())().catch(() => undefined)
  }
  return stop
}
