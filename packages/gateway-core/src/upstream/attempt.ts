import { performance } from 'node:perf_hooks'
import {
  Cancellation,
  type CancellationSignal,
  type Completion,
  promised,
  settleWith,
  type Tenant,
} from '@fairlead/runtime'
import type { StallListener } from '@fairlead/http1'
import { currentTrace, withSpan } from '../telemetry/current-trace.ts'
import type { Idempotency } from './idempotency.ts'
import type { LatencyClass } from './latency.ts'
import type { RunningAttempt } from './running-attempts.ts'
import type { PoolMember } from './pool-member.ts'
import type { Connection } from './upstream.ts'
import { type UpstreamError, upstreamFailureOf } from './upstream-error.ts'

/** Receives the response of an upstream, and may act when it stalls. */
export type ResponseCompletion<response> = Completion<response> & StallListener

/** A response, its upstream and its class. */
export interface ClassifiedResponse<connection extends Connection, response, responseClass> {
  readonly member: PoolMember<connection>
  readonly response: response
  readonly responseClass: responseClass
}

/** A call that a protocol passes to a pool. */
export interface UpstreamCall<connection extends Connection, response, responseClass> {
  /** The client; undefined for calls of the gateway itself. */
  readonly tenant: Tenant | undefined
  /** Cancels the call. */
  readonly signal: CancellationSignal
  readonly latencyClass: LatencyClass
  readonly resending: Idempotency
  /** An upstream that takes longer than this counts as hanging when another one responds first. */
  readonly slowAfterMs: number
  /** Sends the call; calls the completion once. */
  send(upstream: connection, signal: CancellationSignal, completion: ResponseCompletion<response>): void
  /**
   * Reads the part of a response that is needed to classify it.
   *
   * @returns undefined when that part is already available
   */
  read?(response: response, signal: CancellationSignal): Promise<response> | undefined
  /**
   * Classifies a response.
   *
   * @throws UpstreamError when it is not a response of the protocol
   */
  classify(response: response): responseClass
  /** Whether a response shows that its upstream is healthy; true when omitted. */
  isHealthy?(responseClass: responseClass): boolean
  /** Records what a response indicates about its upstream. */
  recordResponseClass?(member: PoolMember<connection>, responseClass: responseClass, response: response): void
  /** Whether the body of a response has not arrived completely. */
  isStreaming(response: response): boolean
}

/** The result of a call at one upstream: a response or an error. */
export type Outcome<connection extends Connection, response, responseClass> =
  | ClassifiedResponse<connection, response, responseClass>
  | { readonly error: unknown; readonly failure: UpstreamError | undefined }

/** Receives the outcome of an attempt, once. */
export interface AttemptListener<connection extends Connection, response, responseClass> {
  onOutcome(
    attempt: Attempt<connection, response, responseClass>,
    outcome: Outcome<connection, response, responseClass>,
  ): void
  /** The upstream is silent, or its response has begun and stalled; called repeatedly while that lasts. */
  onHanging(attempt: Attempt<connection, response, responseClass>): void
}

/** One attempt of a call at one upstream. */
export class Attempt<connection extends Connection, response, responseClass>
  implements ResponseCompletion<response>, RunningAttempt
{
  readonly member: PoolMember<connection>
  previous: RunningAttempt | undefined = undefined
  next: RunningAttempt | undefined = undefined
  readonly #call: UpstreamCall<connection, response, responseClass>
  readonly #listener: AttemptListener<connection, response, responseClass>
  readonly #isTrial: boolean
  readonly #ended = new Cancellation()
  #beganAt = 0
  #isStalled = false

  /** @param isTrial - whether the upstream is out of service; see {@link Upstream.mayTry} */
  constructor(
    member: PoolMember<connection>,
    call: UpstreamCall<connection, response, responseClass>,
    listener: AttemptListener<connection, response, responseClass>,
    isTrial: boolean,
  ) {
    this.member = member
    this.#call = call
    this.#listener = listener
    this.#isTrial = isTrial
  }

  get isShort(): boolean {
    return this.#call.latencyClass === 'short'
  }

  /**
   * Whether the upstream sends nothing, so that another upstream can receive the call without additional work for this
   * one.
   */
  get isHanging(): boolean {
    return this.#isStalled || this.member.upstream.silence.isSilent
  }

  begin(): void {
    const { member } = this
    const { signal } = this.#call
    if (signal.aborted) this.handleEvent()
    signal.addEventListener('abort', this)
    const { upstream } = member
    const { connection } = upstream
    this.#beganAt = upstream.begin()
    upstream.attempts.add(this)
    // Most calls are not traced, so they need no promise.
    if (currentTrace() === undefined) this.#call.send(connection, this.#ended, this)
    else {
      const sent = async () => {
        const response = await promised<response>(({ resolve, reject }) => {
          this.#call.send(connection, this.#ended, { resolve, reject, stalled: () => this.stalled() })
        })
        return (await this.#call.read?.(response, this.#ended)) ?? response
      }
      settleWith(withSpan('upstream', { 'fairlead.upstream': upstream.id }, sent), {
        resolve: (response) => this.#classify(response),
        reject: (error) => this.reject(error),
      })
    }
  }

  /** Cancels the attempt because another upstream was faster. */
  abandon(): void {
    const hasTimedOut = this.isHanging || performance.now() - this.#beganAt > this.#call.slowAfterMs
    this.#ended.abort(
      new DOMException('Another attempt was faster.', hasTimedOut ? 'TimeoutError' : 'AbortError'),
    )
  }

  /** Handles the abort event of the call's signal. */
  handleEvent(): void {
    this.#ended.abort(this.#call.signal.reason)
  }

  stalled(): void {
    this.#isStalled = this.member.upstream.hasStalled = true
    this.hang()
  }

  hang(): void {
    this.#listener.onHanging(this)
  }

  resolve(response: response): void {
    const read = this.#call.read?.(response, this.#ended)
    if (read === undefined) return this.#classify(response)
    settleWith(read, {
      resolve: (buffered) => this.#classify(buffered),
      reject: (error) => this.reject(error),
    })
  }

  #classify(response: response): void {
    const { member } = this
    let responseClass: responseClass
    try {
      responseClass = this.#call.classify(response)
    } catch (error) {
      return this.reject(error)
    }
    if (this.#call.isHealthy?.(responseClass) === false) member.upstream.breaker.cancelProbe()
    else member.upstream.recordResponse()
    if (this.#isTrial) member.upstream.rate.resume()
    this.#call.recordResponseClass?.(member, responseClass, response)
    // A body that has not arrived completely ends with the call.
    this.#end(this.#call.isStreaming(response))
    this.#listener.onOutcome(this, { member, response, responseClass })
  }

  reject(error: unknown): void {
    const failure = upstreamFailureOf(error)
    if (failure)
      this.member.upstream.recordFailure(failure, this.#isStalled ? 'short' : this.#call.latencyClass)
    this.#end()
    this.#listener.onOutcome(this, { error, failure })
  }

  #end(isPassedOn = false): void {
    const { upstream } = this.member
    const { signal, latencyClass } = this.#call
    // A call without a response took at least this long; the duration of a hanging call does not predict that of others.
    if (!this.isHanging) upstream.recordDuration(latencyClass, this.#beganAt)
    upstream.end()
    upstream.attempts.delete(this)
    if (!isPassedOn) signal.removeEventListener('abort', this)
  }
}
