import { performance } from 'node:perf_hooks'

const { nodeTiming } = performance

/**
 * A clock of the milliseconds that this process had nothing to do. It tells how long an upstream took: by any other clock
 * a process with much to do takes its own work for that of the upstream.
 */
export function eventLoopIdleMs(): number {
  return nodeTiming.idleTime
}
