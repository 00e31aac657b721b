import { type Completion, settleWith } from '@fairlead/gateway-core/completion'
import type { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { resultText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import { BufferedResponse } from './buffered-response.ts'
import type { CallRequirements } from '@fairlead/gateway-core/upstream/select-upstream'
import { UpstreamError, unavailable } from '@fairlead/gateway-core/upstream/upstream-error'
import { isBuffered, type UpstreamResponse } from './upstream-response.ts'
import { Attempt, type AttemptedCall, type AttemptListener, type Outcome } from './attempt.ts'
import { transactionHash } from './raw-transaction.ts'
import type { ResponseClass } from './classify-response.ts'
import type { PooledUpstream } from './types.ts'
import { takeSlot } from '@fairlead/gateway-core/upstream/rate-slot'
import { mayResend, type Idempotency } from './idempotency.ts'
import { guardedTimeout } from '@fairlead/http1'

/** One call as its pool knows it. */
export interface PoolCall extends AttemptedCall {
  readonly needs: CallRequirements
  readonly resending: Idempotency
  /** The one upstream that knows the filter which the call uses. */
  readonly owner?: PooledUpstream | undefined
}

/** What the calls of a pool get from it. */
export interface CallSupport {
  /** Finds an upstream that was not tried yet. */
  choose(
    call: PoolCall,
    needs: CallRequirements,
    tried: readonly PooledUpstream[],
  ): PooledUpstream | undefined
  /** How long the first upstream may take before a hedge is sent; undefined when none is. */
  hedgeMs(first: PooledUpstream, call: PoolCall): number | undefined
  /** @returns whether a call may be sent once more */
  retry(): boolean
  /** @returns whether a call may be sent to a second upstream while the first one has not failed */
  hedge(): boolean
}

/** An answer and who gave it. */
export interface PooledAnswer {
  readonly member: PooledUpstream
  readonly answer: UpstreamResponse
}

/** One call at a pool: it is tried at one upstream after the other, or at two at a time, until an answer is good. */
export class FailoverCall implements AttemptListener {
  readonly #call: PoolCall
  readonly #support: CallSupport
  readonly #completion: Completion<PooledAnswer>
  readonly #tried: PooledUpstream[] = []
  #running: readonly Attempt[] = none
  #isSettled = false
  /** What may still lead to an answer beside the attempts: turns, and the search for a transaction. */
  #awaited = 0
  #needs: CallRequirements
  /** What is answered when nothing better comes: the first word of an upstream, else the first failure. */
  #word: PooledAnswer | undefined
  #failure: RpcError | UpstreamError | undefined
  /** Whether an upstream may have taken the call though it did not say so. */
  #maybeTaken = false
  /** Until another upstream is asked as well. */
  #timer: NodeJS.Timeout | undefined

  /**
   * @param completion - gets the response, or {@link UpstreamError} as for `Upstream.post`; `UpstreamBusyError` when
   * every upstream has all the calls that it takes
   */
  constructor(call: PoolCall, support: CallSupport, completion: Completion<PooledAnswer>) {
    this.#call = call
    this.#support = support
    this.#completion = completion
    this.#needs = call.needs
  }

  begin(): void {
    this.#goOn('first')
  }

  /** Asks another upstream, if there is one. */
  #goOn(why: 'first' | 'retry' | 'hedge'): void {
    try {
      const member = this.#other()
      if (!member) return this.#giveUp()
      this.#tried.push(member)
      const turn = takeSlot(member.rate, this.#call.signal)
      if (!turn) return this.#attempt(member, why)
      this.#awaited += 1
      settleWith(turn, {
        resolve: () => {
          this.#awaited -= 1
          try {
            this.#attempt(member, why)
          } catch (error) {
            // Whoever began the call does not wait here any more.
            this.#fail(error)
          }
        },
        reject: (error) => {
          this.#awaited -= 1
          this.#failure ??= error as RpcError | UpstreamError
          this.#giveUp()
        },
      })
    } catch (error) {
      this.#fail(error)
    }
  }

  #attempt(member: PooledUpstream, why: 'first' | 'retry' | 'hedge'): void {
    if (this.#isSettled) return
    if (this.#running.length > 0) this.#maybeTaken = true
    const attempt = new Attempt(member, this.#call, this)
    this.#running = [...this.#running, attempt]
    if (why === 'retry') member.retries += 1
    if (why === 'hedge') member.hedges += 1
    this.#planSecond(member)
    attempt.begin()
  }

  #other(): PooledUpstream | undefined {
    return this.#support.choose(this.#call, this.#needs, this.#tried)
  }

  /** Asks another upstream as well when this one takes its time. */
  #planSecond(first: PooledUpstream): void {
    const { resending, lateMs } = this.#call
    clearTimeout(this.#timer)
    if (resending === 'unseen') return
    const hedgeMs = this.#tried.length === 1 ? this.#support.hedgeMs(first, this.#call) : undefined
    if (hedgeMs === undefined || hedgeMs >= lateMs) return this.#retryIn(lateMs)
    this.#timer = guardedTimeout(() => {
      if (!this.#second('hedge')) this.#retryIn(lateMs - hedgeMs)
    }, hedgeMs)
  }

  #retryIn(ms: number): void {
    this.#timer = guardedTimeout(() => {
      // An upstream that cannot be asked now may be well a little later.
      if (!this.#second('retry')) this.#retryIn(this.#call.lateMs)
    }, ms)
  }

  /** @returns whether another upstream is asked beside the one that is */
  #second(why: 'retry' | 'hedge'): boolean {
    if (this.#running.length !== 1 || !this.#hasOther() || !this.#support[why]()) return false
    this.#goOn(why)
    return true
  }

  #hasOther(): boolean {
    const other = this.#other()
    return other !== undefined && other.isResponsive && other.rate.waitMs === 0
  }

  /** Sends a call that may be sent twice to another upstream, whatever the budget: the first one has no work with it. */
  onHanging(attempt: Attempt): void {
    if (this.#isSettled || this.#call.resending !== 'always' || this.#awaited > 0) return
    if (this.#running.some((one) => one !== attempt && !one.isHanging)) return
    if (this.#hasOther() && this.#other()?.silence.isSuspected === false) this.#goOn('retry')
  }

  onOutcome(attempt: Attempt, outcome: Outcome): void {
    this.#running = this.#running.length === 1 ? none : this.#running.filter((other) => other !== attempt)
    if (this.#isSettled) {
      if ('answer' in outcome && !isBuffered(outcome.answer)) outcome.answer.body.destroy()
      return
    }
    if ('answer' in outcome && outcome.verdict === 'good') return this.#take(outcome)
    if ('answer' in outcome && outcome.verdict === 'in the chain') {
      this.#known(outcome).catch((error: unknown) => this.#fail(error))
      return
    }
    if ('answer' in outcome) this.#word ??= outcome
    else this.#failure ??= outcome.failure
    if (this.#mayGoOn(outcome) && (isFree(outcome) || this.#support.retry())) this.#goOn('retry')
    else this.#giveUp()
  }

  #mayGoOn(outcome: Outcome): boolean {
    const { resending, signal } = this.#call
    if (signal.aborted) return false
    if ('failure' in outcome) {
      const { failure } = outcome
      if (!(failure instanceof UpstreamError)) return false
      if (failure.kind !== 'unconnected' && failure.httpStatus !== 429) this.#maybeTaken = true
      return mayResend(resending, failure)
    }
    return this.#isBetterElsewhere(outcome)
  }

  /** Whether another upstream may know what this one did not. */
  #isBetterElsewhere({ member, verdict }: Outcome & { readonly verdict: ResponseClass }): boolean {
    switch (verdict) {
      case 'busy':
      case 'not offered':
        // The upstream has done nothing.
        return true
      case 'pruned': {
        this.#needs = { ...this.#needs, role: this.#needs.role === 'full' ? 'archive' : this.#needs.role }
        const other = this.#other()
        return other?.serves(this.#needs.role) === true
      }
      case 'absent': {
        // One try is enough: what the best upstream does not know is not there.
        const other = this.#tried.length > 1 ? undefined : this.#other()
        const [here, there] = [member.head ?? -1, other?.head ?? -1]
        if (there > here) this.#needs = { ...this.#needs, block: there }
        // A block that was seen elsewhere is there: this upstream is further behind than is known of it.
        const wasSeen = other !== undefined && this.#call.asked.minBlock !== undefined
        return there > here || wasSeen
      }
      case 'good':
      case 'in the chain':
      case 'unreadable':
        return false
      default:
        return verdict satisfies never
    }
  }

  /** An upstream refuses a signed transaction because the chain has it, or has one after it. */
  async #known({ member, answer }: PooledAnswer): Promise<void> {
    const { asked, signal } = this.#call
    // Without another attempt before it, this is the upstream's word to the caller.
    const hash = this.#maybeTaken ? transactionHash(asked.params[0]) : undefined
    if (hash === undefined) return this.#take({ member, answer })
    this.#awaited += 1
    const found = await member.upstream
      .call('eth_getTransactionByHash', [hash], signal)
      .catch((error: unknown) => error)
    const isThere = found !== null && !(found instanceof Error)
    const { id } = JSON.parse(String(answer.bytes)) as { readonly id: unknown }
    const mapped = resultText(JSON.stringify(id ?? null), `"${hash}"`)
    this.#take({ member, answer: isThere ? new BufferedResponse(Buffer.from(mapped)) : answer })
  }

  #take(answer: PooledAnswer): void {
    if (this.#isSettled) return
    this.#settle()
    this.#completion.resolve(answer)
  }

  onFault(error: unknown): void {
    this.#fail(error)
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return
    this.#settle()
    this.#completion.reject(error)
  }

  /** Ends with the best there is, unless an upstream may still answer. */
  #giveUp(): void {
    if (this.#isSettled || this.#awaited + this.#running.length > 0) return
    const word = this.#word
    if (word) return this.#take(word)
    this.#fail(this.#failure ?? unavailable(undefined, this.#call.signal))
  }

  #settle(): void {
    this.#isSettled = true
    clearTimeout(this.#timer)
    for (const attempt of this.#running) attempt.abandon()
  }
}

const none: readonly Attempt[] = []

/** Whether the upstream had no work with the call, so that another try does not add to the load. */
function isFree(outcome: Outcome): boolean {
  return 'failure' in outcome
    ? outcome.failure instanceof UpstreamError && outcome.failure.kind === 'unconnected'
    : outcome.verdict === 'not offered'
}
