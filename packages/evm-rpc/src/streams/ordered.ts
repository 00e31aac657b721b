/**
 * Maps with several calls under way and gives the results in the order of the inputs.
 *
 * @param inputs - taken one by one, only when there is room
 * @param concurrency - most calls under way, results that wait to be read included
 * @param call - must heed the signal, which aborts when the reader leaves
 */
export async function* inOrder<input, output>(
  inputs: Iterable<input>,
  concurrency: number,
  call: (input: input, signal: AbortSignal) => Promise<output>,
  signal?: AbortSignal,
): AsyncGenerator<output, void, undefined> {
  const leave = new AbortController()
  const both = signal ? AbortSignal.any([signal, leave.signal]) : leave.signal
  const iterator = inputs[Symbol.iterator]()
  const running: Promise<output>[] = []
  try {
    for (;;) {
      while (running.length < concurrency) {
        const input = iterator.next()
        if (input.done) break
        const result = call(input.value, both)
        // A failure is thrown when its turn comes; until then it must not count as unhandled.
        result.catch(() => {})
        running.push(result)
      }
      const first = running[0]
      if (first === undefined) return
      const output = await first
      void running.shift()
      yield output
    }
  } finally {
    leave.abort()
  }
}
