import { FairleadError } from '@fairlead/core'
import { requireInteger } from '../transports/configuration.ts'

/** Size of the buffer for a reader that is slower than the node, and the policy when it is full. */
export interface BufferOptions {
  /** Maximum number of items in the buffer. Default 1000. */
  readonly capacity?: number | undefined
  /**
   * Policy for an item that arrives when the buffer is full. `error` (default) ends the stream with `STREAM_OVERFLOW`
   * after the buffered items are read; the other policies continue and count the dropped items.
   */
  readonly policy?: 'error' | 'drop-oldest' | 'drop-newest' | undefined
  /** Called with the total number of items dropped so far. */
  readonly onDrop?: ((dropped: number) => void) | undefined
}

/** A bounded queue between a producer and one reader. */
export interface Queue<item> extends AsyncIterableIterator<item, undefined, undefined> {
  push(item: item): void
  /** Ends the queue after the buffered items. */
  end(): void
  /** Ends the queue with an error after the buffered items. */
  fail(error: unknown): void
  return(): Promise<IteratorReturnResult<undefined>>
}

interface Waiting<item> {
  resolve(result: IteratorResult<item, undefined>): void
  reject(error: unknown): void
}

/**
 * Creates a bounded queue.
 *
 * @param operation - name of the stream in `STREAM_OVERFLOW`
 * @param options - capacity and policy
 * @param onStop - called once when no more items are accepted: after a failure, the end or an early return of the
 *   reader
 * @throws FairleadError `CONFIG_INVALID` for a capacity that is not a whole number of at least 1
 */
export function createQueue<item>(
  operation: string,
  options: BufferOptions = {},
  onStop: () => void = () => {},
): Queue<item> {
  const { capacity = 1_000, policy = 'error', onDrop } = options
  requireInteger('buffer.capacity', capacity, 1)
  let items: item[] = []
  let waiting: Waiting<item>[] = []
  let ended: { readonly error?: unknown } | undefined
  let dropped = 0

  const stop = (outcome: { readonly error?: unknown }) => {
    if (ended) return
    ended = outcome
    const readers = waiting
    waiting = []
    for (const reader of readers) settle(reader)
    onStop()
  }
  // An error is thrown once; after that the reader gets the end, as with a generator.
  const settle = ({ resolve, reject }: Waiting<item>) => {
    if (ended && 'error' in ended) {
      const { error } = ended
      ended = {}
      reject(error)
    } else resolve({ done: true, value: undefined })
  }
  const drop = () => onDrop?.(++dropped)

  return {
    push(item) {
      if (ended) return
      const reader = waiting.shift()
      if (reader) return reader.resolve({ done: false, value: item })
      if (items.length < capacity) return void items.push(item)
      if (policy === 'error') stop({ error: new FairleadError('STREAM_OVERFLOW', { operation, capacity }) })
      else {
        if (policy === 'drop-oldest') {
          items.shift()
          items.push(item)
        }
        drop()
      }
    },
    end: () => stop({}),
    fail: (error) => stop({ error }),
    next: () =>
      new Promise((resolve, reject) => {
        if (items.length > 0) resolve({ done: false, value: items.shift() as item })
        else if (ended) settle({ resolve, reject })
        else waiting.push({ resolve, reject })
      }),
    return() {
      items = []
      stop({})
      ended = {}
      return Promise.resolve({ done: true, value: undefined })
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
