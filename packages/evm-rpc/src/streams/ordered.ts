/**
 * Maps inputs with several concurrent calls and yields the results in the order of the inputs.
 *
 * @param inputs - read one by one, only when a call can start
 * @param concurrency - maximum number of concurrent calls, including results that are not read yet
 * @param call - must respect the signal, which aborts when the reader stops
 */
export async function* inOrder<input, output>(
  inputs: Iterable<input>,
  concurrency: number,
  call: (input: input, signal: AbortSignal) => Promise<output>,
  signal?: AbortSignal,
): AsyncGenerator<output, void, undefined> {
  const controller = new AbortController()
  const combined = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal
  const iterator = inputs[Symbol.iterator]()
  const running: Promise<output>[] = []
  try {
    for (;;) {
      while (running.length < concurrency) {
        const input = iterator.next()
        if (input.done) break
        const result = call(input.value, combined)
        // The error is thrown when its result is read; until then it must not count as unhandled.
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
    controller.abort()
  }
}
