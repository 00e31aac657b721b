import type { Grant } from '../grants/grant.ts'
import type { UsageCounts } from './usage-counts.ts'

/** The metrics of node requests. */
export interface RequestMetrics {
  /**
   * Counts one request.
   *
   * @param method - method of the contract, or `unknown`
   * @param status - HTTP status
   */
  count(protocol: string, method: string, status: number, bytesIn: number, bytesOut: number): void
  /** Counts server-sent bytes of requests that were counted before. */
  push(protocol: string, bytes: number): void
  /** Records the duration of one request. */
  recordDuration(protocol: string, seconds: number): void
}

/** The result of a node request, for metrics and usage. */
export interface CompletedRequest {
  readonly protocol: string
  /** The grant of the credential; omitted for a request that was not authenticated. */
  readonly grant?: Grant | undefined
  /** Method or operation of the contract, `batch`, or `unknown`: never a text that the caller chose. */
  readonly method: string
  readonly status: number
  /** Omitted when it does not depend on the upstream, as for an unlimited stream. */
  readonly durationSeconds?: number | undefined
  /** Number of bytes of the call's body; `bytesOut` counts those of the response. */
  readonly bytesIn?: number | undefined
  readonly bytesOut?: number | undefined
  /** The calls of a batch, each of which is counted separately. */
  readonly calls?: readonly MeasuredCall[] | undefined
  /**
   * Number of further messages for a call that was counted before: notifications of a subscription, events, or messages
   * of a stream. Each counts as usage like a call, but not as a request.
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
 * Creates a meter that updates the gateway's metrics and the usage counts. A request without a valid credential does
 * not count as usage.
 *
 * @param requests - the metrics
 * @param usage - counts by node and credential; without it, only metrics are updated
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
    if (durationSeconds !== undefined) requests.recordDuration(protocol, durationSeconds)
  }
}

function countUsage(usage: UsageCounts, grant: Grant, measured: CompletedRequest): void {
  const { protocol, method, status, durationSeconds, bytesIn = 0, bytesOut = 0, calls, pushes } = measured
  if (calls === undefined || calls.length === 0) {
    usage.count(grant, protocol, method, status, bytesIn, bytesOut, durationSeconds, pushes)
    return
  }
  // The bytes of a batch cannot be attributed to single calls: all calls get the same share, and the first also gets
  // the remainder. Each call has the duration of the whole batch.
  const [shareIn, shareOut] = [Math.trunc(bytesIn / calls.length), Math.trunc(bytesOut / calls.length)]
  calls.forEach((call, index) => {
    const isFirst = index === 0
    const inward = isFirst ? bytesIn - shareIn * (calls.length - 1) : shareIn
    const outward = isFirst ? bytesOut - shareOut * (calls.length - 1) : shareOut
    usage.count(grant, protocol, call.method, call.status, inward, outward, durationSeconds)
  })
}
