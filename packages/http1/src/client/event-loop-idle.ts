import { performance } from 'node:perf_hooks'

const { nodeTiming } = performance

/**
 * The time that the event loop of this process was idle, in milliseconds. As a clock, it measures how long an upstream
 * takes: any other clock in a busy process counts the work of the process itself as a delay of the upstream.
 */
export function eventLoopIdleMs(): number {
  return nodeTiming.idleTime
}
