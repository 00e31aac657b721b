import { performance } from 'node:perf_hooks'
import { promised, settleWith } from '@fairlead/gateway-core/completion'
import { Cancellation, type CancellationSignal } from '@fairlead/http1'
import { withSpan, currentTrace } from '@fairlead/gateway-core/telemetry/current-trace'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import type { ResponseCompletion, CallInfo } from './types.ts'
import { isBuffered, type UpstreamResponse } from './upstream-response.ts'
import { malformed } from './rpc-errors.ts'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { bufferShortResponse } from './buffer-response.ts'
import { classifyResponse, type ResponseClass } from './classify-response.ts'
import type { PooledUpstream } from './types.ts'
import type { RunningAttempt } from '@fairlead/gateway-core/upstream/running-attempts'

/** How one upstream answered, or did not. */
export type Outcome =
  | { readonly member: PooledUpstream; readonly answer: UpstreamResponse; readonly verdict: ResponseClass }
  | { readonly member: PooledUpstream; readonly failure: RpcError | UpstreamError }

/** What is sent. */
export interface AttemptedCall {
  readonly body: string
  readonly asked: CallInfo
  readonly pace: 'quick' | 'slow'
  /** Ends the call. */
  readonly signal: CancellationSignal
  /** An upstream that takes longer is thought to hang once another one has answered. */
  readonly lateMs: number
}

/** Hears once what an attempt came to. */
export interface AttemptListener {
  onOutcome(attempt: Attempt, outcome: Outcome): void
  /** The upstream is silent, or its answer has begun and stopped; called again and again while that lasts. */
  onHanging(attempt: Attempt): void
  /** The fault is this service's own. */
  onFault(error: unknown): void
}

/** One try of a call at one upstream. */
export class Attempt implements ResponseCompletion, RunningAttempt {
  readonly member: PooledUpstream
  previous: RunningAttempt | undefined = undefined
  next: RunningAttempt | undefined = undefined
  readonly #call: AttemptedCall
  readonly #listener: AttemptListener
  readonly #ended = new Cancellation()
  readonly #began = performance.now()
  #isStalled = false

  constructor(member: PooledUpstream, call: AttemptedCall, listener: AttemptListener) {
    this.member = member
    this.#call = call
    this.#listener = listener
  }

  get isQuick(): boolean {
    return this.#call.pace === 'quick'
  }

  /** Whether nothing comes from the upstream, so that another one may be sent the call without more work for this one. */
  get isHanging(): boolean {
    return this.#isStalled || this.member.silence.isSilent
  }

  begin(): void {
    const { member } = this
    const { body, asked, signal } = this.#call
    if (signal.aborted) this.handleEvent()
    signal.addEventListener('abort', this)
    member.calls += 1
    member.callsInFlight += 1
    member.attempts.add(this)
    const { upstream, label } = member
    // Most calls are part of no trace, and are spared a promise.
    if (currentTrace() === undefined) upstream.send(body, this.#ended, asked, this)
    else {
      const answered = () =>
        promised<UpstreamResponse>(({ resolve, reject }) => {
          upstream.send(body, this.#ended, asked, { resolve, reject, stalled: () => this.stalled() })
        })
      const traced = withSpan('upstream', { 'fairlead.upstream': label }, async () =>
        bufferShortResponse(await answered(), this.#ended),
      )
      settleWith(traced, { resolve: (answer) => this.#judge(answer), reject: (error) => this.reject(error) })
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
    this.#isStalled = this.member.hasStalled = true
    this.hang()
  }

  hang(): void {
    this.#listener.onHanging(this)
  }

  resolve(answer: UpstreamResponse): void {
    if (isBuffered(answer)) return this.#judge(answer)
    settleWith(bufferShortResponse(answer, this.#ended), {
      resolve: (held) => this.#judge(held),
      reject: (error) => this.reject(error),
    })
  }

  reject(error: unknown): void {
    const { member } = this
    const isOfUpstream = error instanceof UpstreamError
    if (isOfUpstream) member.failed(error, this.#isStalled ? 'quick' : this.#call.pace)
    this.#end()
    if (isOfUpstream || error instanceof RpcError) this.#listener.onOutcome(this, { member, failure: error })
    else this.#listener.onFault(error)
  }

  #judge(answer: UpstreamResponse): void {
    const { member } = this
    const { method } = this.#call.asked
    const text = answer.latin1 ?? answer.bytes?.toString('latin1')
    const verdict = text === undefined ? 'good' : classifyResponse(method, text)
    if (verdict === 'unreadable') return this.reject(malformed())
    member.answered()
    if (verdict === 'busy') member.rate.refused(undefined)
    if (verdict === 'not offered') member.lacks(method)
    // A long answer is still on its way, and ends with the call.
    this.#end(text === undefined)
    this.#listener.onOutcome(this, { member, answer, verdict })
  }

  #end(isPassedOn = false): void {
    const { member } = this
    const { signal, pace } = this.#call
    // What was not answered took at least this long; the time of one that hangs says nothing of the others.
    if (!this.isHanging) member[pace].add(performance.now() - this.#began)
    member.callsInFlight -= 1
    member.attempts.delete(this)
    if (!isPassedOn) signal.removeEventListener('abort', this)
  }
}
