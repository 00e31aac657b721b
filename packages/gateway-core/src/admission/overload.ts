import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { guardedInterval } from '@fairlead/http1'

/** Tells whether this process has more to do than it can. */
export interface LoadWatch {
  readonly isOverloaded: boolean
  close(): void
}

const lookMs = 500
const resolutionMs = 20
// A call that stands still this long is late whatever the node does.
const longestDelayMs = 250
const fullestHeap = 0.9
// A single pause is no load: so many looks in a row have to find it.
const looksToBelieve = 4

/** Watches the delay of the event loop and the room that is left in the heap. */
export function watchLoad(): LoadWatch {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  let lateLooks = 0
  const timer = guardedInterval(() => {
    lateLooks = delay.mean / 1e6 > longestDelayMs ? lateLooks + 1 : 0
    delay.reset()
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
    watch.isOverloaded = used > limit * fullestHeap || lateLooks >= looksToBelieve
  }, lookMs).unref()
  const watch = {
    isOverloaded: false,
    close: () => {
      clearInterval(timer)
      delay.disable()
    },
  }
  return watch
}
