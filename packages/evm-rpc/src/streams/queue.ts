import { FairleadError } from '@fairlead/core'
import { requireWhole } from '../transports/configuration.ts'

/** How much is kept for a reader that is slower than the node, and what happens to the rest. */
export interface BufferOptions {
  /** Most items that wait to be read. Default 1000. */
  readonly capacity?: number | undefined
  /**
   * What happens to an item that finds the buffer full. `error` (default) ends the stream with `STREAM_OVERFLOW` once the
   * items before it are read; the others go on and count what they drop.
   */
  readonly policy?: 'error' | 'drop-oldest' | 'drop-newest' | undefined
  /** Hears how many items were dropped so far. */
  readonly onDrop?: ((dropped: number) => void) | undefined
}

/** A bounded queue between something that writes at its own pace and one reader. */
export interface Queue<item> extends AsyncIterableIterator<item, undefined, undefined> {
  push(item: item): void
  /** Ends the queue after what it holds. */
  end(): void
  /** Ends the queue after what it holds, with an error. */
  fail(error: unknown): void
  return(): Promise<IteratorReturnResult<undefined>>
}

interface Waiting<item> {
  resolve(result: IteratorResult<item, undefined>): void
  reject(error: unknown): void
}

/**
 * Makes a bounded queue.
 *
 * @param operation - what to call the stream in `STREAM_OVERFLOW`
 * @param options - capacity and policy
 * @param onStop - runs once when nothing more is taken: after a failure, the end or an early return of the reader
 * @throws FairleadError `CONFIG_INVALID` for a capacity that is no whole number from 1 on
 */
export function createQueue<item>(
  operation: string,
  options: BufferOptions = {},
  onStop: () => void = () => {},
): Queue<item> {
  const { capacity = 1_000, policy = 'error', onDrop } = options
  requireWhole('buffer.capacity', capacity, 1)
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
  // An error is told once; a reader that asks again finds the end, as with a generator.
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
