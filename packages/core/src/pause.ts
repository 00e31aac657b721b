/**
 * Waits for a time.
 *
 * @param ms - milliseconds, at most `longestMs`
 * @throws the reason of the signal, when the signal aborts first
 * @example
 * ```ts
 * await pause(1_000, AbortSignal.timeout(500))
 * ```
 */
export async function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    // A signal that is already aborted dispatches no further event.
    const timer = setTimeout(end, signal?.aborted ? 0 : ms)
    signal?.addEventListener('abort', end)
  })
  signal?.throwIfAborted()
}
