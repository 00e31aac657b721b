import { guardedImmediate, guardedTimeout } from '@fairlead/http1'
/**
 * Tells that an answer is late, unless it was there to be read when the time was over: this process may only have been
 * busy with something else.
 *
 * @returns what ends the wait
 */
export function whenLate(ms: number, tell: () => void): () => void {
  let look: NodeJS.Immediate | undefined
  const timer = guardedTimeout(() => {
    // Between timers and this, everything that has arrived is read.
    look = guardedImmediate(tell)
  }, ms)
  return () => {
    clearTimeout(timer)
    clearImmediate(look)
  }
}
