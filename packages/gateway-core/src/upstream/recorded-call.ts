import type { Completion } from '@fairlead/runtime'
import type { LatencyClass } from './latency.ts'
import { UpstreamBusyError, upstreamFailureOf } from './upstream-error.ts'
import type { Upstream } from './upstream.ts'

/**
 * A call to the only upstream of a node, which begins with its creation. Records its outcome in the upstream, and passes
 * it on: {@link UpstreamBusyError} for a rate limit.
 */
export class RecordedCall<response> implements Completion<response> {
  protected readonly completion: Completion<response>
  readonly #upstream: Upstream
  readonly #latencyClass: LatencyClass
  readonly #beganAt: number

  constructor(upstream: Upstream, latencyClass: LatencyClass, completion: Completion<response>) {
    this.#upstream = upstream
    this.#latencyClass = latencyClass
    this.completion = completion
    // There is no alternative upstream. A response proves that the upstream is healthy again.
    upstream.breaker.probe()
    this.#beganAt = upstream.begin()
  }

  resolve(response: response): void {
    this.#upstream.recordResponse()
    this.#end()
    this.completion.resolve(response)
  }

  reject(error: unknown): void {
    const failure = upstreamFailureOf(error)
    if (failure) this.#upstream.recordFailure(failure, this.#latencyClass)
    this.#end()
    this.fail(failure?.httpStatus === 429 ? new UpstreamBusyError(this.#upstream.rate.waitMs) : error)
  }

  /** Passes a failure on. */
  protected fail(error: unknown): void {
    this.completion.reject(error)
  }

  #end(): void {
    this.#upstream.recordDuration(this.#latencyClass, this.#beganAt)
    this.#upstream.end()
  }
}
