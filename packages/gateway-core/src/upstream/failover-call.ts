import { type Completion, guardedTimeout, settleWith } from '@fairlead/runtime'
import { Attempt, type AttemptListener, type ClassifiedResponse, type Outcome } from './attempt.ts'
import type { CallProgress, CallSupport, FailoverCallSettings, PooledResponse } from './failover-settings.ts'
import { type AvailableUpstream, selectAvailable } from './available-upstream.ts'
import { mayResend } from './idempotency.ts'
import { takeSlot } from './rate-slot.ts'
import type { PoolMember } from './pool-member.ts'
import type { Connection } from './upstream.ts'
import { unavailable, UpstreamBusyError } from './upstream-error.ts'

/** Why an upstream receives a call. */
type Reason = 'first' | 'retry' | 'hedge'

/** One call at a pool. It tries one upstream after the other, or two in parallel, until a response is accepted. */
export class FailoverCall<
  connection extends Connection,
  response,
  responseClass,
  call extends FailoverCallSettings<connection, response, responseClass>,
>
  implements AttemptListener<connection, response, responseClass>, CallProgress<connection>
{
  readonly tried: PoolMember<connection>[] = []
  maybeAccepted = false
  readonly #call: call
  readonly #support: CallSupport<connection, call>
  readonly #completion: Completion<PooledResponse<connection, response>>
  #running: readonly Attempt<connection, response, responseClass>[] = noAttempts
  #isSettled = false
  /** Number of pending operations other than attempts: waits for a rate slot, and promises of decisions. */
  #awaited = 0
  /**
   * The result when no better one arrives: the first response of an upstream, or else the first error, or else that all
   * upstreams are busy.
   */
  #firstResponse: PooledResponse<connection, response> | undefined
  #firstError: { readonly error: unknown } | undefined
  #isBusy = false
  /** The tried upstreams that have been out of service since then. */
  #outages: Set<PoolMember<connection>> | undefined
  /** Timer for the call to another upstream. */
  #timer: NodeJS.Timeout | undefined

  /**
   * @param completion - receives the response, or the first error; `UpstreamBusyError` when every upstream that was
   * called has reached its rate limit
   */
  constructor(
    call: call,
    support: CallSupport<connection, call>,
    completion: Completion<PooledResponse<connection, response>>,
  ) {
    this.#call = call
    this.#support = support
    this.#completion = completion
  }

  begin(): void {
    this.#tryNext('first')
  }

  next(): PoolMember<connection> | undefined {
    return this.#support.choose(this.#call, this.tried)
  }

  /** Calls another upstream, if there is one. */
  #tryNext(why: Reason): void {
    const best = this.next()
    if (!best) return this.#settleIfDone()
    const other = best.upstream.rate.isBlocked ? this.#selectAvailable('failing') : undefined
    if (other) this.#send(other.member, why, other.isTrial)
    else this.#send(best, why)
  }

  #send(member: PoolMember<connection>, why: Reason, isTrial = false): void {
    try {
      this.tried.push(member)
      const { rate } = member.upstream
      if (isTrial) rate.take()
      const slot = isTrial ? undefined : takeSlot(rate, this.#call.tenant, this.#call.signal)
      if (!slot) return this.#attempt(member, why, isTrial)
      this.#awaited += 1
      settleWith(slot, {
        resolve: () => {
          this.#awaited -= 1
          try {
            this.#attempt(member, why, isTrial)
          } catch (error) {
            // The code that began the call is no longer on the stack to receive the error.
            this.#fail(error)
          }
        },
        reject: (error) => {
          this.#awaited -= 1
          this.#recordError(error, error instanceof UpstreamBusyError)
          this.#settleIfDone()
        },
      })
    } catch (error) {
      this.#fail(error)
    }
  }

  #selectAvailable(state: 'waiting' | 'failing'): AvailableUpstream<connection> | undefined {
    return selectAvailable((others) => this.#support.choose(this.#call, [...this.tried, ...others]), state)
  }

  #attempt(member: PoolMember<connection>, why: Reason, isTrial: boolean): void {
    if (this.#isSettled) return
    if (this.#running.length > 0) this.maybeAccepted = true
    const { breaker } = member.upstream
    if (breaker.state !== 'closed' && (isTrial || !this.#support.hasResponsive())) breaker.probe(true)
    const attempt = new Attempt(member, this.#call, this, isTrial)
    this.#running = [...this.#running, attempt]
    if (why === 'retry') member.upstream.retries += 1
    if (why === 'hedge') member.upstream.hedges += 1
    this.#scheduleSecond(member)
    attempt.begin()
  }

  /** Schedules a call to another upstream for the case that this one is slow. */
  #scheduleSecond(first: PoolMember<connection>): void {
    const { resending, slowAfterMs } = this.#call
    clearTimeout(this.#timer)
    if (resending === 'unseen') return
    const hedgeMs = this.tried.length === 1 ? this.#support.hedgeMs(first, this.#call) : undefined
    if (hedgeMs === undefined || hedgeMs >= slowAfterMs) return this.#retryIn(slowAfterMs)
    this.#timer = guardedTimeout(() => {
      // resend: hedge
      if (!this.#sendSecond('hedge')) this.#retryIn(slowAfterMs - hedgeMs)
    }, hedgeMs)
  }

  #retryIn(ms: number): void {
    this.#timer = guardedTimeout(() => {
      // resend: slow attempt
      // An upstream that cannot be called now may recover shortly.
      if (!this.#sendSecond('retry')) this.#retryIn(this.#call.slowAfterMs)
    }, ms)
  }

  /** @returns whether a second upstream is called in parallel */
  #sendSecond(why: 'retry' | 'hedge'): boolean {
    if (this.#running.length !== 1) return false
    const second = why === 'hedge' ? this.#nextIfAvailable() : this.#selectAvailable('waiting')
    if (!second || !this.#support[why]()) return false
    this.#send(second.member, why, second.isTrial)
    return true
  }

  #nextIfAvailable(): AvailableUpstream<connection> | undefined {
    const member = this.next()
    return member?.upstream.isAvailable === true ? { member, isTrial: false } : undefined
  }

  /**
   * Resends an idempotent call to another upstream, independent of the retry budget, because the first upstream has no
   * work with it.
   */
  onHanging(attempt: Attempt<connection, response, responseClass>): void {
    if (this.#isSettled || this.#call.resending !== 'always' || this.#awaited > 0) return
    if (this.#running.some((other) => other !== attempt && !other.isHanging)) return
    this.#forgetOutages()
    const other = this.#selectAvailable('waiting')
    // resend: silent upstream
    if (other) this.#send(other.member, 'retry', other.isTrial)
  }

  /** Notes that an upstream is out of service after it has ended an attempt. */
  #recordOutage(member: PoolMember<connection>): void {
    if (!member.upstream.isAvailable) (this.#outages ??= new Set()).add(member)
  }

  /** Permits another attempt at upstreams that are in service again. */
  #forgetOutages(): void {
    for (const member of this.#outages ?? []) {
      if (!member.upstream.isAvailable) continue
      this.#outages?.delete(member)
      this.tried.splice(this.tried.indexOf(member), 1)
    }
  }

  onOutcome(
    attempt: Attempt<connection, response, responseClass>,
    outcome: Outcome<connection, response, responseClass>,
  ): void {
    this.#running =
      this.#running.length === 1 ? noAttempts : this.#running.filter((other) => other !== attempt)
    if ('error' in outcome) this.#onError(attempt.member, outcome)
    else if (this.#isSettled) this.#call.discard(outcome.response)
    else this.#onResponse(outcome)
  }

  #onError(
    member: PoolMember<connection>,
    { error, failure }: Extract<Outcome<connection, response, responseClass>, { error: unknown }>,
  ): void {
    if (this.#isSettled) return
    const isBusy = failure?.httpStatus === 429
    this.#recordError(error, isBusy)
    this.#recordOutage(member)
    if (failure && failure.kind !== 'connect_failed' && !isBusy) this.maybeAccepted = true
    const { resending, signal } = this.#call
    // resend: failed attempt
    if (failure && !signal.aborted && mayResend(resending, failure)) {
      // An upstream that has received nothing of the call had no work with it.
      this.#retry(failure.kind === 'connect_failed')
    } else this.#settleIfDone()
  }

  #recordError(error: unknown, isBusy: boolean): void {
    if (isBusy) this.#isBusy = true
    else this.#firstError ??= { error }
  }

  #onResponse(classified: ClassifiedResponse<connection, response, responseClass>): void {
    const decision = this.#call.decide(classified, this)
    if (decision === 'accept') return this.#accept(classified)
    if (typeof decision === 'object') {
      const { member } = classified
      this.#awaited += 1
      settleWith(decision, {
        resolve: (response) => this.#accept({ member, response }),
        reject: (error) => this.#fail(error),
      })
      return
    }
    this.#firstResponse ??= classified
    this.#recordOutage(classified.member)
    // resend: better response
    if (decision === 'fallback' || this.#call.signal.aborted) this.#settleIfDone()
    else this.#retry(decision === 'next without cost')
  }

  #retry(isFree: boolean): void {
    if (isFree || this.#support.retry()) this.#tryNext('retry')
    else this.#settleIfDone()
  }

  #accept(accepted: PooledResponse<connection, response>): void {
    if (this.#isSettled) return
    this.#settle()
    this.#completion.resolve(accepted)
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return
    this.#settle()
    this.#completion.reject(error)
  }

  /** Settles with the best available result, unless an upstream may still respond. */
  #settleIfDone(): void {
    if (this.#isSettled || this.#awaited + this.#running.length > 0) return
    if (this.#firstResponse) return this.#accept(this.#firstResponse)
    if (this.#firstError) return this.#fail(this.#firstError.error)
    const waitMs = Math.min(...this.tried.map(({ upstream }) => upstream.rate.waitMs))
    this.#fail(this.#isBusy ? new UpstreamBusyError(waitMs) : unavailable(undefined, this.#call.signal))
  }

  #settle(): void {
    this.#isSettled = true
    clearTimeout(this.#timer)
    for (const attempt of this.#running) attempt.abandon()
  }
}

const noAttempts: readonly never[] = []
