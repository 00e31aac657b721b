import type { SubscribeRequest } from '../../generated/geyser.ts'
import { toSubscribeRequest } from '../filters/to-request.ts'

/** The requests of one call. */
export interface SendQueue {
  readonly requests: AsyncIterable<SubscribeRequest>
  /** Sends filters; waiting ones are replaced. */
  subscribe(request: SubscribeRequest): void
  /** Sends a ping, unless one is still waiting. It never replaces the filters. */
  ping(): void
  close(): void
}

/**
 * Creates the requests of a call.
 *
 * @param first - the first request of the call
 * @param duplex - whether others may follow
 */
export function createSendQueue(first: SubscribeRequest, duplex: boolean): SendQueue {
  let filters: SubscribeRequest | undefined = first
  let ping: SubscribeRequest | undefined
  let pings = 0
  let closed = false
  let wake = () => {}
  const done: IteratorReturnResult<undefined> = { done: true, value: undefined }
  const close = () => {
    closed = true
    wake()
  }
  const dequeue = () => {
    const request = filters ?? ping
    if (filters) filters = undefined
    else ping = undefined
    return request
  }
  const iterator: AsyncIterator<SubscribeRequest, undefined> = {
    async next() {
      for (;;) {
        if (closed) return done
        const value = dequeue()
        if (value) {
          if (!duplex) closed = true
          return { done: false, value }
        }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    return() {
      close()
      return Promise.resolve(done)
    },
  }
  return {
    requests: { [Symbol.asyncIterator]: () => iterator },
    subscribe(request) {
      filters = request
      wake()
    },
    ping() {
      if (!duplex || ping) return
      pings = (pings % 0x7fffffff) + 1
      ping = { ...toSubscribeRequest({}), ping: { id: pings } }
      wake()
    },
    close,
  }
}
