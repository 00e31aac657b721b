import {
  type CancellationSignal,
  type Completion,
  promised,
  settleWith,
  type Tenant,
} from '@fairlead/runtime'
import { currentTrace, withSpan } from '../telemetry/current-trace.ts'
import type { LatencyClass } from './latency.ts'
import { takeSlot } from './rate-slot.ts'
import type { PoolMember } from './pool-member.ts'
import type { Connection, Upstream } from './upstream.ts'
import type { UpstreamError } from './upstream-error.ts'

/** The only upstream of a node. It receives every call, because there is no alternative. */
export class OnlyUpstream<connection extends Connection, response> {
  readonly member: PoolMember<connection>
  readonly upstream: Upstream<connection>
  /** Returns the upstream failure that an error indicates, if any. */
  readonly failureOf: (error: unknown) => UpstreamError | undefined

  constructor(member: PoolMember<connection>, failureOf: (error: unknown) => UpstreamError | undefined) {
    this.member = member
    this.upstream = member.upstream
    this.failureOf = failureOf
  }

  /**
   * Sends a call when the rate limit allows it, and records its outcome.
   *
   * @param tenant - the client; undefined for calls of the gateway itself
   * @param send - sends the call; calls the completion once
   */
  send(
    tenant: Tenant | undefined,
    signal: CancellationSignal,
    latencyClass: LatencyClass,
    send: (completion: Completion<response>) => void,
    completion: Completion<response>,
  ): void {
    const slot = takeSlot(this.upstream.rate, tenant, signal)
    if (slot === undefined) return this.#sendNow(latencyClass, send, completion)
    slot
      .then(() => this.#sendNow(latencyClass, send, completion))
      .catch((error: unknown) => completion.reject(error))
  }

  #sendNow(
    latencyClass: LatencyClass,
    send: (completion: Completion<response>) => void,
    completion: Completion<response>,
  ): void {
    const { upstream } = this
    // A response proves that the upstream is healthy again.
    upstream.breaker.probe()
    const recorded = new RecordedCall(this, latencyClass, completion)
    // Most calls are not part of a trace, so the promise is avoided.
    if (currentTrace() === undefined) return send(recorded)
    const attributes = { 'fairlead.upstream': upstream.id }
    settleWith(
      withSpan('upstream', attributes, () => promised(send)),
      recorded,
    )
  }
}

/** Records the outcome of a call, and passes it on. */
class RecordedCall<response> implements Completion<response> {
  readonly #only: OnlyUpstream<Connection, response>
  readonly #latencyClass: LatencyClass
  readonly #completion: Completion<response>
  readonly #beganAt: number

  constructor(
    only: OnlyUpstream<Connection, response>,
    latencyClass: LatencyClass,
    completion: Completion<response>,
  ) {
    this.#only = only
    this.#latencyClass = latencyClass
    this.#completion = completion
    this.#beganAt = only.upstream.begin()
  }

  resolve(response: response): void {
    const { upstream } = this.#only
    upstream.recordResponse()
    this.#end()
    this.#completion.resolve(response)
  }

  reject(error: unknown): void {
    const { upstream } = this.#only
    const failure = this.#only.failureOf(error)
    if (failure) upstream.recordFailure(failure, this.#latencyClass)
    this.#end()
    this.#completion.reject(error)
  }

  #end(): void {
    const { upstream } = this.#only
    upstream.recordDuration(this.#latencyClass, this.#beganAt)
    upstream.end()
  }
}
