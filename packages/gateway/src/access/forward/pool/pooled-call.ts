import type { RpcFailure } from '../../json-rpc/rpc-failure.ts'
import { resultText } from '../../json-rpc/rpc-text.ts'
import type { CallNeeds } from './call-needs.ts'
import { UpstreamFailure, unavailable } from '../upstream-failure.ts'
import type { UpstreamAnswer } from '../upstream-answer.ts'
import { Attempt, type AttemptedCall, type Outcome } from './attempt.ts'
import { textAnswer } from './hold-short-answer.ts'
import { transactionHash } from './raw-transaction.ts'
import type { Verdict } from './judge-answer.ts'
import type { PoolMember } from './pool-member.ts'
import { takeTurn } from './take-turn.ts'
import { mayResend, type Resending } from './resending.ts'

/** What a call gets from its pool. */
export interface PooledCallParts extends AttemptedCall {
  readonly needs: CallNeeds
  readonly resending: Resending
  /** How long the first upstream may take before a hedge is sent; undefined when none is. */
  readonly hedgeMs: (first: PoolMember) => number | undefined
  /** Finds an upstream that was not tried yet. */
  readonly choose: (needs: CallNeeds, tried: ReadonlySet<PoolMember>) => PoolMember | undefined
  /** @returns whether the call may be sent once more */
  readonly retry: () => boolean
  /** @returns whether the call may be sent to a second upstream while the first one has not failed */
  readonly hedge: () => boolean
}

/** An answer and who gave it. */
export interface PooledAnswer {
  readonly member: PoolMember
  readonly answer: UpstreamAnswer
}

/** One call at a pool: it is tried at one upstream after the other, or at two at a time, until an answer is good. */
export class PooledCall {
  readonly #parts: PooledCallParts
  readonly #tried = new Set<PoolMember>()
  readonly #running = new Set<Attempt>()
  #resolve: (answer: PooledAnswer) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined
  #isSettled = false
  /** What may still lead to an answer beside the attempts: turns, and the search for a transaction. */
  #awaited = 0
  #needs: CallNeeds
  /** What is answered when nothing better comes: the first word of an upstream, else the first failure. */
  #word: PooledAnswer | undefined
  #failure: RpcFailure | undefined
  /** Whether an upstream may have taken the call though it did not say so. */
  #maybeTaken = false
  #hedgeTimer: NodeJS.Timeout | undefined
  #lateTimer: NodeJS.Timeout | undefined

  constructor(parts: PooledCallParts) {
    this.#parts = parts
    this.#needs = parts.needs
  }

  /** @throws {@link RpcFailure} as `Upstream.post`, or -32005 when every upstream has all the calls that it takes */
  answer(): Promise<PooledAnswer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#goOn('first')
    })
  }

  /** Asks another upstream, if there is one. */
  async #next(why: 'first' | 'retry' | 'hedge'): Promise<void> {
    const member = this.#parts.choose(this.#needs, this.#tried)
    if (!member) return this.#giveUp()
    this.#tried.add(member)
    const turn = takeTurn(member.rate, this.#parts.signal)
    if (turn && !(await this.#waited(turn))) return this.#giveUp()
    if (this.#isSettled) return
    if (this.#running.size > 0) this.#maybeTaken = true
    const attempt = new Attempt(member, this.#parts)
    this.#running.add(attempt)
    if (why === 'retry') member.retries += 1
    if (why === 'hedge') member.hedges += 1
    this.#planSecond(member)
    attempt.outcome.then(
      (outcome) => this.#hear(attempt, outcome),
      (error: unknown) => this.#fail(error),
    )
  }

  #goOn(why: 'first' | 'retry' | 'hedge'): void {
    this.#next(why).catch((error: unknown) => this.#fail(error))
  }

  async #waited(turn: Promise<void>): Promise<boolean> {
    this.#awaited += 1
    try {
      await turn
      return true
    } catch (error) {
      this.#failure ??= error as RpcFailure
      return false
    } finally {
      this.#awaited -= 1
    }
  }

  /** Asks another upstream as well when this one takes its time. */
  #planSecond(first: PoolMember): void {
    const { resending, hedgeMs, lateMs } = this.#parts
    clearTimeout(this.#hedgeTimer)
    clearTimeout(this.#lateTimer)
    if (resending === 'unseen') return
    const second = (why: 'retry' | 'hedge'): boolean => {
      if (this.#running.size !== 1 || !this.#hasOther() || !this.#parts[why]()) return false
      this.#goOn(why)
      return true
    }
    const ms = this.#tried.size === 1 ? hedgeMs(first) : undefined
    if (ms !== undefined) this.#hedgeTimer = setTimeout(() => void second('hedge'), ms)
    // An upstream that cannot be asked now may be well a little later.
    const whenLate = () => {
      if (!second('retry')) this.#lateTimer = setTimeout(whenLate, lateMs)
    }
    this.#lateTimer = setTimeout(whenLate, lateMs)
  }

  #hasOther(): boolean {
    const other = this.#parts.choose(this.#needs, this.#tried)
    return other !== undefined && other.breaker.state === 'closed' && other.rate.waitMs === 0
  }

  #hear(attempt: Attempt, outcome: Outcome): void {
    this.#running.delete(attempt)
    if (this.#isSettled) {
      if ('answer' in outcome && !outcome.answer.bytes) outcome.answer.body.destroy()
      return
    }
    if ('answer' in outcome && outcome.verdict === 'good') return this.#take(outcome)
    if ('answer' in outcome && outcome.verdict === 'in the chain') return void this.#known(outcome)
    if ('answer' in outcome) this.#word ??= outcome
    else this.#failure ??= outcome.failure
    if (this.#mayGoOn(outcome) && (isFree(outcome) || this.#parts.retry())) this.#goOn('retry')
    else this.#giveUp()
  }

  #mayGoOn(outcome: Outcome): boolean {
    const { resending, signal } = this.#parts
    if (signal.aborted) return false
    if ('failure' in outcome) {
      const { failure } = outcome
      if (!(failure instanceof UpstreamFailure)) return false
      if (failure.kind !== 'unconnected' && failure.httpStatus !== 429) this.#maybeTaken = true
      return mayResend(resending, failure)
    }
    return this.#isBetterElsewhere(outcome)
  }

  /** Whether another upstream may know what this one did not. */
  #isBetterElsewhere({ member, verdict }: Outcome & { readonly verdict: Verdict }): boolean {
    switch (verdict) {
      case 'busy':
      case 'not offered':
        // The upstream has done nothing.
        return true
      case 'pruned': {
        this.#needs = { ...this.#needs, role: this.#needs.role === 'full' ? 'archive' : this.#needs.role }
        const other = this.#parts.choose(this.#needs, this.#tried)
        return other?.serves(this.#needs.role) === true
      }
      case 'absent': {
        // One try is enough: what the best upstream does not know is not there.
        const other = this.#tried.size > 1 ? undefined : this.#parts.choose(this.#needs, this.#tried)
        const [here, there] = [member.head?.number ?? -1, other?.head?.number ?? -1]
        if (there > here) this.#needs = { ...this.#needs, block: there }
        // A block that was seen elsewhere is there: this upstream is further behind than is known of it.
        const wasSeen = other !== undefined && this.#parts.asked.atLeast !== undefined
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
    const { asked, signal } = this.#parts
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
    this.#take({ member, answer: isThere ? textAnswer(mapped) : answer })
  }

  #take(answer: PooledAnswer): void {
    this.#settle(() => this.#resolve(answer))
  }

  #fail(error: unknown): void {
    this.#settle(() => this.#reject(error))
  }

  /** Ends with the best there is, unless an upstream may still answer. */
  #giveUp(): void {
    if (this.#isSettled || this.#awaited + this.#running.size > 0) return
    const word = this.#word
    if (word) return this.#take(word)
    this.#fail(this.#failure ?? unavailable(undefined, this.#parts.signal))
  }

  #settle(tell: () => void): void {
    if (this.#isSettled) return
    this.#isSettled = true
    clearTimeout(this.#hedgeTimer)
    clearTimeout(this.#lateTimer)
    tell()
    for (const attempt of this.#running) attempt.abandon()
  }
}

/** Whether the upstream had no work with the call, so that another try does not add to the load. */
function isFree(outcome: Outcome): boolean {
  return 'failure' in outcome
    ? outcome.failure instanceof UpstreamFailure && outcome.failure.kind === 'unconnected'
    : outcome.verdict === 'not offered'
}
