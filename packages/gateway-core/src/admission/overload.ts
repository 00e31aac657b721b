import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { guardedInterval } from '@fairlead/http1'

/** Reports whether this process is overloaded. */
export interface LoadMonitor {
  readonly isOverloaded: boolean
  close(): void
}

const sampleMs = 500
const resolutionMs = 20
// A call that is delayed this long is slow regardless of the upstream.
const longestDelayMs = 250
const fullestHeap = 0.9
// A single pause is not overload: this many consecutive checks must detect it.
const samplesToConfirm = 4

/** Monitors the event loop delay and the free heap memory. */
export function monitorLoad(): LoadMonitor {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  let lateSamples = 0
  const timer = guardedInterval(() => {
    lateSamples = delay.mean / 1e6 > longestDelayMs ? lateSamples + 1 : 0
    delay.reset()
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
    monitor.isOverloaded = used > limit * fullestHeap || lateSamples >= samplesToConfirm
  }, sampleMs).unref()
  const monitor = {
    isOverloaded: false,
    close: () => {
      clearInterval(timer)
      delay.disable()
    },
  }
  return monitor
}
