import type { Grant } from '../grants/grant.ts'
import type { UsageCounts } from './usage-counts.ts'

/** The numbers about node requests. */
export interface RequestMetrics {
  /**
   * Counts one request.
   *
   * @param method - of the contract, or `unknown`
   * @param status - of HTTP
   */
  count(protocol: string, method: string, status: number, bytesIn: number, bytesOut: number): void
  /** Counts bytes that were pushed to clients, to requests that were counted before. */
  push(protocol: string, bytes: number): void
  /** Counts how long one request took. */
  took(protocol: string, seconds: number): void
}

/** How a node request ended, for counting. */
export interface CompletedRequest {
  readonly protocol: string
  /** What the credential opened; left out for a request that was not authenticated. */
  readonly grant?: Grant | undefined
  /** Method or operation of the contract, `batch`, or `unknown`: never a text that the caller chose. */
  readonly method: string
  readonly status: number
  /** Left out where it says nothing about the node, as for a stream without an end. */
  readonly durationSeconds?: number | undefined
  /** Bytes of the call's body, and of its answer's. */
  readonly bytesIn?: number | undefined
  readonly bytesOut?: number | undefined
  /** The calls of a batch, each of which is counted by itself. */
  readonly calls?: readonly MeasuredCall[] | undefined
  /**
   * How many further answers to a call that was counted before: notifications of a subscription, events, messages of a
   * stream. They are usage, each like a call, but no requests.
   */
  readonly pushes?: number | undefined
}

/** One call of a batch. */
export interface MeasuredCall {
  readonly method: string
  readonly status: number
}

/** Counts node requests in memory. */
export type Meter = (measured: CompletedRequest) => void

/**
 * Makes a meter that feeds the service's metrics and the counts of usage. What nobody's credential let in is no usage.
 *
 * @param requests - the metrics
 * @param usage - counts by node and credential; without it only metrics are fed
 */
export function createMeter(requests: RequestMetrics, usage?: UsageCounts): Meter {
  return (measured) => {
    const { protocol, method, status, durationSeconds, grant, pushes, bytesIn = 0, bytesOut = 0 } = measured
    if (grant && usage) countUsage(usage, grant, measured)
    if (pushes !== undefined) {
      requests.push(protocol, bytesOut)
      return
    }
    requests.count(protocol, method, status, bytesIn, bytesOut)
    if (durationSeconds !== undefined) requests.took(protocol, durationSeconds)
  }
}

function countUsage(usage: UsageCounts, grant: Grant, measured: CompletedRequest): void {
  const { protocol, method, status, durationSeconds, bytesIn = 0, bytesOut = 0, calls, pushes } = measured
  if (calls === undefined || calls.length === 0) {
    usage.count(grant, protocol, method, status, bytesIn, bytesOut, durationSeconds, pushes)
    return
  }
  // Nobody knows which byte belongs to which call: all have the same share, and the first what is left. Their client
  // waited for each as long as for all.
  const [shareIn, shareOut] = [Math.trunc(bytesIn / calls.length), Math.trunc(bytesOut / calls.length)]
  calls.forEach((call, index) => {
    const isFirst = index === 0
    const inward = isFirst ? bytesIn - shareIn * (calls.length - 1) : shareIn
    const outward = isFirst ? bytesOut - shareOut * (calls.length - 1) : shareOut
    usage.count(grant, protocol, call.method, call.status, inward, outward, durationSeconds)
  })
}
