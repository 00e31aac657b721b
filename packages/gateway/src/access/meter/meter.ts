import type { Counter, Histogram } from 'prom-client'

/** How a node request ended, for counting. */
export interface Measured {
  readonly protocol: 'evm'
  /** Method of the contract, `batch`, or `unknown`: never a text that the caller chose. */
  readonly method: string
  readonly status: number
  readonly durationSeconds: number
}

/** Counts node requests in memory. */
export type Meter = (measured: Measured) => void

/**
 * Makes a meter that feeds the service's metrics.
 *
 * @param requests - counter with the labels protocol, method and status
 * @param duration - histogram in seconds with the label protocol
 */
export function createMeter(
  requests: Counter<'protocol' | 'method' | 'status'>,
  duration: Histogram<'protocol'>,
): Meter {
  return ({ protocol, method, status, durationSeconds }) => {
    requests.inc({ protocol, method, status: `${Math.floor(status / 100)}xx` })
    duration.observe({ protocol }, durationSeconds)
  }
}
