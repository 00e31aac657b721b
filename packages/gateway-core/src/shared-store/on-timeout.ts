import { guardedImmediate, guardedTimeout } from '@fairlead/runtime'
/**
 * Calls a function after a timeout, unless the response arrived within it. A response that has arrived but was not read
 * yet counts as in time, because this process may only have been busy.
 *
 * @returns a function that ends the wait
 */
export function onTimeout(ms: number, callback: () => void): () => void {
  let check: NodeJS.Immediate | undefined
  const timer = guardedTimeout(() => {
    // Between the timer and this callback, all data that has arrived is read.
    check = guardedImmediate(callback)
  }, ms)
  return () => {
    clearTimeout(timer)
    clearImmediate(check)
  }
}
