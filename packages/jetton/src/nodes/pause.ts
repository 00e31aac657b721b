import { longestMs } from '@fairlead/core'

/** Waits; rejects with the reason of the signal when that aborts first. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const end = (): void => {
      signal.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(end, Math.min(ms, longestMs))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
