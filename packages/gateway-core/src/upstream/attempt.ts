import { performance } from 'node:perf_hooks'
import { Cancellation, type CancellationSignal, type StallListener } from '@fairlead/http1'
import { type Completion, promised, settleWith } from '../completion.ts'
import { currentTrace, withSpan } from '../telemetry/current-trace.ts'
import type { Idempotency } from './idempotency.ts'
import type { RunningAttempt } from './running-attempts.ts'
import type { PoolMember } from './pool-member.ts'
import type { Connection } from './upstream.ts'
import type { UpstreamError } from './upstream-error.ts'

/** Receives the response of an upstream, and may act when it stalls. */
export type ResponseCompletion<response> = Completion<response> & StallListener

/** A response, who gave it, and what it is worth. */
export interface JudgedResponse<connection extends Connection, response, verdict> {
  readonly member: PoolMember<connection>
  readonly response: response
  readonly verdict: verdict
}

/** A call as a protocol hands it to a pool. */
export interface UpstreamCall<connection extends Connection, response, verdict> {
  /** Ends the call. */
  readonly signal: CancellationSignal
  /** Whether upstreams answer it at once. */
  readonly pace: 'quick' | 'slow'
  readonly resending: Idempotency
  /** An upstream that takes longer is thought to hang once another one has answered. */
  readonly lateMs: number
  /** Sends it; the completion hears once. */
  send(upstream: connection, signal: CancellationSignal, completion: ResponseCompletion<response>): void
  /**
   * Reads as much of a response as it is judged by.
   *
   * @returns undefined when that is there already
   */
  read?(response: response, signal: CancellationSignal): Promise<response> | undefined
  /**
   * Judges a response.
   *
   * @throws UpstreamError for one that is no response of the protocol
   */
  judge(response: response): verdict
  /** Notes what a response says of its upstream. */
  note?(member: PoolMember<connection>, verdict: verdict, response: response): void
  /** Whether the body of a response is still on its way. */
  isStreaming(response: response): boolean
  /** What an error says of the upstream; undefined when it says nothing. */
  failureOf(error: unknown): UpstreamError | undefined
}

/** How one upstream answered, or did not. */
export type Outcome<connection extends Connection, response, verdict> =
  | JudgedResponse<connection, response, verdict>
  | { readonly error: unknown; readonly failure: UpstreamError | undefined }

/** Hears once what an attempt came to. */
export interface AttemptListener<connection extends Connection, response, verdict> {
  onOutcome(
    attempt: Attempt<connection, response, verdict>,
    outcome: Outcome<connection, response, verdict>,
  ): void
  /** The upstream is silent, or its response has begun and stopped; called again and again while that lasts. */
  onHanging(attempt: Attempt<connection, response, verdict>): void
}

/** One try of a call at one upstream. */
export class Attempt<connection extends Connection, response, verdict>
  implements ResponseCompletion<response>, RunningAttempt
{
  readonly member: PoolMember<connection>
  previous: RunningAttempt | undefined = undefined
  next: RunningAttempt | undefined = undefined
  readonly #call: UpstreamCall<connection, response, verdict>
  readonly #listener: AttemptListener<connection, response, verdict>
  readonly #ended = new Cancellation()
  readonly #began = performance.now()
  #isStalled = false

  constructor(
    member: PoolMember<connection>,
    call: UpstreamCall<connection, response, verdict>,
    listener: AttemptListener<connection, response, verdict>,
  ) {
    this.member = member
    this.#call = call
    this.#listener = listener
  }

  get isQuick(): boolean {
    return this.#call.pace === 'quick'
  }

  /** Whether nothing comes from the upstream, so that another one may be sent the call without more work for this one. */
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
    upstream.calls += 1
    upstream.callsInFlight += 1
    upstream.attempts.add(this)
    // Most calls are part of no trace, and are spared a promise.
    if (currentTrace() === undefined) this.#call.send(connection, this.#ended, this)
    else {
      const sent = async () => {
        const response = await promised<response>(({ resolve, reject }) => {
          this.#call.send(connection, this.#ended, { resolve, reject, stalled: () => this.stalled() })
        })
        return (await this.#call.read?.(response, this.#ended)) ?? response
      }
      settleWith(withSpan('upstream', { 'fairlead.upstream': upstream.id }, sent), {
        resolve: (response) => this.#judge(response),
        reject: (error) => this.reject(error),
      })
    }
  }

  /** Ends it because another upstream was sooner. */
  abandon(): void {
    const isLate = this.isHanging || performance.now() - this.#began > this.#call.lateMs
    this.#ended.abort(new DOMException('Another one was sooner.', isLate ? 'TimeoutError' : 'AbortError'))
  }

  /** The signal ends the call. */
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
    if (read === undefined) return this.#judge(response)
    settleWith(read, { resolve: (whole) => this.#judge(whole), reject: (error) => this.reject(error) })
  }

  #judge(response: response): void {
    const { member } = this
    let verdict: verdict
    try {
      verdict = this.#call.judge(response)
    } catch (error) {
      return this.reject(error)
    }
    member.upstream.answered()
    this.#call.note?.(member, verdict, response)
    // A body that is still on its way ends with the call.
    this.#end(this.#call.isStreaming(response))
    this.#listener.onOutcome(this, { member, response, verdict })
  }

  reject(error: unknown): void {
    const failure = this.#call.failureOf(error)
    if (failure) this.member.upstream.failed(failure, this.#isStalled ? 'quick' : this.#call.pace)
    this.#end()
    this.#listener.onOutcome(this, { error, failure })
  }

  #end(isPassedOn = false): void {
    const { upstream } = this.member
    const { signal, pace } = this.#call
    // What was not answered took at least this long; the time of one that hangs says nothing of the others.
    if (!this.isHanging) upstream[pace].add(performance.now() - this.#began)
    upstream.callsInFlight -= 1
    upstream.attempts.delete(this)
    if (!isPassedOn) signal.removeEventListener('abort', this)
  }
}
