import { deferred } from '../adapter/deferred.ts'

/** A queue of messages for a reader that pulls one after the other. */
export interface SendQueue<message> extends AsyncIterable<message> {
  /** Adds a message; resolves when the reader has received it. */
  put(message: message): Promise<void>
  /** Ends the queue: no message follows. */
  end(): void
}

export function createSendQueue<message>(): SendQueue<message> {
  const waiting: { readonly message: message; received(): void }[] = []
  let isEnded = false
  let changed = deferred<void>()

  const change = () => {
    changed.resolve()
    changed = deferred()
  }

  return {
    put(message) {
      const received = deferred<void>()
      waiting.push({ message, received: () => received.resolve() })
      change()
      return received.promise
    },
    end() {
      isEnded = true
      change()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const first = waiting.shift()
        if (first) {
          first.received()
          yield first.message
        } else if (isEnded) return
        else await changed.promise
      }
    },
  }
}
