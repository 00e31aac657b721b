import { deferred } from '../adapter/deferred.ts'

/** A queue of messages for a reader that pulls one after the other. */
export interface Outbox<message> extends AsyncIterable<message> {
  /** Adds a message; resolves when the reader has received it. */
  put(message: message): Promise<void>
  /** Ends the queue: no message follows. */
  end(): void
}

export function createOutbox<message>(): Outbox<message> {
  const waiting: { readonly message: message; taken(): void }[] = []
  let isEnded = false
  let changed = deferred<void>()

  const change = () => {
    changed.resolve()
    changed = deferred()
  }

  return {
    put(message) {
      const taken = deferred<void>()
      waiting.push({ message, taken: () => taken.resolve() })
      change()
      return taken.promise
    },
    end() {
      isEnded = true
      change()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const first = waiting.shift()
        if (first) {
          first.taken()
          yield first.message
        } else if (isEnded) return
        else await changed.promise
      }
    },
  }
}
