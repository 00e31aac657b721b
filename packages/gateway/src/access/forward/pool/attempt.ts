import { CallEnd, type CallSignal } from '../../call-signal.ts'
import { asPart } from '../../../observe/tracing/current-trace.ts'
import { RpcFailure } from '../../json-rpc/rpc-failure.ts'
import type { AskedCall } from '../upstream.ts'
import type { UpstreamAnswer } from '../upstream-answer.ts'
import { UpstreamFailure, unreadable } from '../upstream-failure.ts'
import { holdShortAnswer } from './hold-short-answer.ts'
import { judgeAnswer, type Verdict } from './judge-answer.ts'
import type { PoolMember } from './pool-member.ts'

/** How one upstream answered, or did not. */
export type Outcome =
  | { readonly member: PoolMember; readonly answer: UpstreamAnswer; readonly verdict: Verdict }
  | { readonly member: PoolMember; readonly failure: RpcFailure }

/** What is sent. */
export interface AttemptedCall {
  readonly body: string
  readonly asked: AskedCall
  readonly pace: 'quick' | 'slow'
  /** Ends the call. */
  readonly signal: CallSignal
  /** An upstream that takes longer is thought to hang once another one has answered. */
  readonly lateMs: number
}

/** One try of a call at one upstream. */
export class Attempt {
  readonly member: PoolMember
  readonly outcome: Promise<Outcome>
  readonly #call: AttemptedCall
  readonly #ended = new CallEnd()
  readonly #began = performance.now()

  constructor(member: PoolMember, call: AttemptedCall) {
    this.member = member
    this.#call = call
    this.outcome = this.#run()
  }

  /** Ends it because another upstream was sooner. */
  abandon(): void {
    const isLate = performance.now() - this.#began > this.#call.lateMs
    this.#ended.abort(new DOMException('Another one was sooner.', isLate ? 'TimeoutError' : 'AbortError'))
  }

  async #run(): Promise<Outcome> {
    const { member } = this
    const { signal, pace } = this.#call
    const end = () => this.#ended.abort(signal.reason)
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    member.calls += 1
    member.callsInFlight += 1
    let isPassedOn = false
    try {
      const outcome = await this.#exchange()
      isPassedOn = 'answer' in outcome && outcome.answer.bytes === undefined
      return outcome
    } catch (error) {
      if (error instanceof UpstreamFailure) member.failed(error, pace)
      if (error instanceof RpcFailure) return { member, failure: error }
      throw error
    } finally {
      // What was not answered took at least this long.
      member[pace].add(performance.now() - this.#began)
      member.callsInFlight -= 1
      // A long answer is still on its way, and ends with the call.
      if (!isPassedOn) signal.removeEventListener('abort', end)
    }
  }

  async #exchange(): Promise<Outcome> {
    const { member } = this
    const { body, asked } = this.#call
    const signal = this.#ended
    const answer = await asPart('upstream', { 'fairlead.upstream': member.label }, async () =>
      holdShortAnswer(await member.upstream.post(body, signal, asked), signal),
    )
    const verdict = answer.bytes ? judgeAnswer(asked.method, answer.bytes) : 'good'
    if (verdict === 'unreadable') throw unreadable()
    member.answered()
    if (verdict === 'busy') member.rate.refused(undefined)
    if (verdict === 'not offered') member.lacks(asked.method)
    return { member, answer, verdict }
  }
}
