import { type BufferOptions, createQueue } from './queue.ts'

/** An endless sequence. It ends when its reader returns, for example by `break`, or when the signal aborts. */
export type Stream<item> = AsyncIterableIterator<item, undefined, undefined>

/** Options of a stream that can wait for its reader. */
export interface StreamOptions {
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined
  /**
   * Reads ahead of a slow reader by at most `capacity` items and ends with `STREAM_OVERFLOW` when it is full. Default:
   * the stream waits for its reader.
   */
  readonly buffer?: Pick<BufferOptions, 'capacity'> | undefined
}

/**
 * Turns a generator into a stream that ends immediately, also during a wait.
 *
 * @param operation - name of the stream in errors
 * @param generate - creates the generator; its signal aborts when the stream ends
 */
export function streamOf<item>(
  operation: string,
  { signal, buffer }: StreamOptions,
  generate: (signal: AbortSignal) => AsyncGenerator<item, void, undefined>,
): Stream<item> {
  const stopController = new AbortController()
  const items = generate(stopController.signal)
  const stop = () => {
    stopController.abort()
    signal?.removeEventListener('abort', stop)
    // A generator that waits for its reader cleans up now; one that is running cleans up when its wait ends.
    void items.return().catch(() => {})
  }
  if (signal?.aborted) stop()
  else signal?.addEventListener('abort', stop)

  const endResult: IteratorReturnResult<undefined> = { done: true, value: undefined }
  const advance = async (): Promise<IteratorResult<item, undefined>> => {
    const result = await items.next()
    return result.done ? endResult : result
  }
  const direct = {
    async next() {
      if (stopController.signal.aborted) return endResult
      // A running generator may react to the signal with a delay; the reader is released immediately.
      let onAbort = () => {}
      const stopped = new Promise<typeof endResult>((resolve) => {
        onAbort = () => resolve(endResult)
        stopController.signal.addEventListener('abort', onAbort)
      })
      try {
        const result = await Promise.race([advance(), stopped])
        if (result.done) stop()
        return result
      } catch (error) {
        stop()
        throw error
      } finally {
        stopController.signal.removeEventListener('abort', onAbort)
      }
    },
    return() {
      stop()
      return Promise.resolve(endResult)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
  if (!buffer) return direct

  const queue = createQueue<item>(operation, { ...buffer, policy: 'error' }, () => void direct.return())
  void (async () => {
    try {
      for await (const item of direct) queue.push(item)
      queue.end()
    } catch (error) {
      queue.fail(error)
    }
  })()
  return queue
}
