import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { guardedInterval } from '@fairlead/runtime'

/** Reports whether this process is overloaded. */
export interface LoadMonitor {
  readonly isOverloaded: boolean
  close(): void
}

const sampleMs = 500
const resolutionMs = 20
// A call that is delayed this long is slow regardless of the upstream.
const maxDelayMs = 250
const maxHeapShare = 0.9
// A single pause is not overload: this many consecutive checks must detect it.
const samplesToConfirm = 4

/** Monitors the event loop delay and the free heap memory. */
export function monitorLoad(): LoadMonitor {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  let slowSamples = 0
  const timer = guardedInterval(() => {
    slowSamples = delay.mean / 1e6 > maxDelayMs ? slowSamples + 1 : 0
    delay.reset()
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
    monitor.isOverloaded = used > limit * maxHeapShare || slowSamples >= samplesToConfirm
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
