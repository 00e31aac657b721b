import { setTimeout as sleep } from 'node:timers/promises'
import { processorTime } from '../runtime/processor-time.ts'
import { readHead } from './state/state-file.ts'

// After a pause of the whole machine, the first call of a working engine times out as well.
const maxSilentCalls = 2

/** Options for detecting an engine that hangs. */
export interface ResponseWatchOptions {
  url: string
  /** Process id of the engine. */
  pid: number
  /** Milliseconds to wait for a response, and after each response. */
  deadlineMs: number
  /** Ends the watch. */
  signal: AbortSignal
}

/**
 * Resolves when an engine hangs: two calls in a row timed out, and it used no processor time meanwhile.
 *
 * A busy engine may respond late, for example while it writes a large state, but it uses processor time. Where the
 * system does not report that time, no engine counts as hanging.
 *
 * @param options See {@link ResponseWatchOptions}.
 * @returns True when the engine hangs; false when the signal was aborted first.
 */
export async function untilUnresponsive(options: ResponseWatchOptions): Promise<boolean> {
  const { deadlineMs, signal } = options
  try {
    for (let silentCalls = 0; ;) {
      silentCalls = (await isSilent(options)) ? silentCalls + 1 : 0
      if (silentCalls === maxSilentCalls) return true
      if (silentCalls === 0) await sleep(deadlineMs, undefined, { signal })
    }
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}

async function isSilent({ url, pid, deadlineMs, signal }: ResponseWatchOptions): Promise<boolean> {
  const deadline = new AbortController()
  const abort = () => deadline.abort()
  const before = processorTime(pid)
  const timer = setTimeout(abort, deadlineMs)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await readHead(url, deadline.signal)
  } catch {
    // An engine that is starting or ending refuses connections; only a timeout is silence.
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
  signal.throwIfAborted()
  return deadline.signal.aborted && before !== undefined && processorTime(pid) === before
}
