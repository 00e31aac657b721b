import type { Logger } from 'pino'
import { asPart, currentTrace } from '../../../observe/tracing/current-trace.ts'
import type { UpstreamRecord } from '../../../grants/upstream-record.ts'
import { callNeeds } from './call-needs.ts'
import { paceOf } from '../call-pace.ts'
import { RpcFailure, rpcCodes } from '../../json-rpc/rpc-failure.ts'
import type { AskedCall, Upstream } from '../upstream.ts'
import type { UpstreamAnswer } from '../upstream-answer.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { CallBudget } from './call-budget.ts'
import { depthsOf } from './chain-depths.ts'
import type { ChainView } from './chain-view.ts'
import { chooseMember } from './choose-member.ts'
import { PoolMember, type UpstreamState } from './pool-member.ts'
import { PooledCall } from './pooled-call.ts'
import { PoolWatch, type WatchTimes } from './pool-watch.ts'
import { resendingOf } from './resending.ts'
import { StickyFilters } from './sticky-filters.ts'
import { takeTurn } from './take-turn.ts'

/** What the upstreams of one node are called with. */
export interface PoolOptions {
  /** Longest wait for an answer. */
  readonly timeoutMs: number
  /** Whether a second upstream is asked when the first one takes longer than it mostly does. */
  readonly hedges: boolean
  readonly watch: WatchTimes
  readonly log: Logger | undefined
}

const retryRules = { share: 0.2, perSecond: 10, most: 256 }
const hedgeRules = { share: 0.05, perSecond: 0, most: 10 }
const shortestHedgeMs = 50
const hedgeStepMs = 10
const shortestLateMs = 1_000
const unknownCall: AskedCall = { method: '', params: [] }

/** The upstreams of one node: they are called as one. */
export class NodePool {
  readonly #members: readonly PoolMember[]
  readonly #only: PoolMember | undefined
  readonly #options: PoolOptions
  readonly #watch: PoolWatch
  readonly #filters = new StickyFilters()
  readonly #retries = new CallBudget(retryRules)
  readonly #hedges = new CallBudget(hedgeRules)

  /** @param upstreams - at least one */
  constructor(
    label: string,
    upstreams: readonly { readonly upstream: Upstream; readonly record: UpstreamRecord }[],
    options: PoolOptions,
  ) {
    this.#members = upstreams.map(
      ({ upstream, record }, position) => new PoolMember(`${label}/${position}`, upstream, record),
    )
    this.#only = this.#members.length === 1 ? this.#members[0] : undefined
    this.#options = options
    this.#watch = new PoolWatch(this.#members, options.watch, options.log)
  }

  /** As {@link Upstream.post}; -32005 when every upstream has all the calls that it takes. */
  readonly post: Upstream['post'] = (body, signal, asked = unknownCall) =>
    this.#only ? this.#postTo(this.#only, body, signal, asked) : this.#postToBest(body, signal, asked)

  get chain(): ChainView {
    return this.#watch.chain
  }

  states(): readonly UpstreamState[] {
    return this.#members.map(({ state }) => state)
  }

  close(): void {
    this.#watch.stop()
  }

  async #postTo(
    member: PoolMember,
    body: string,
    signal: AbortSignal,
    asked: AskedCall,
  ): Promise<UpstreamAnswer> {
    if (member.record.isCordoned) throw withdrawn()
    const pace = paceOf(asked.method)
    const turn = takeTurn(member.rate, signal)
    if (turn) await turn
    // There is no other one to go to; an answer shows that it is well again.
    member.breaker.probe()
    const began = performance.now()
    member.calls += 1
    member.callsInFlight += 1
    try {
      const { upstream, label } = member
      // Most calls are part of no trace, and are spared another promise.
      const answer = await (currentTrace()
        ? asPart('upstream', { 'fairlead.upstream': label }, () => upstream.post(body, signal, asked))
        : upstream.post(body, signal, asked))
      member.answered()
      return answer
    } catch (error) {
      if (error instanceof UpstreamFailure) member.failed(error, pace)
      throw error
    } finally {
      member[pace].add(performance.now() - began)
      member.callsInFlight -= 1
    }
  }

  async #postToBest(body: string, signal: AbortSignal, asked: AskedCall): Promise<UpstreamAnswer> {
    const unknown = this.#watch.use()
    if (unknown) await unknown
    if (!this.#members.some(isInUse)) throw withdrawn()
    const { timeoutMs } = this.#options
    const { method, atLeast } = asked
    const pace = paceOf(method)
    const { head, chainId } = this.#watch
    const sticky = this.#filters.memberFor(asked)
    this.#retries.earn()
    this.#hedges.earn()
    const call = new PooledCall({
      body,
      asked,
      pace,
      signal,
      needs: callNeeds(asked, { head, archiveDepth: depthsOf(chainId).archive }),
      resending: resendingOf(method),
      lateMs: pace === 'quick' ? Math.max(shortestLateMs, timeoutMs / 10) : timeoutMs / 2,
      hedgeMs: (first) => this.#hedgeMs(first, asked, pace),
      choose: (needs, tried) =>
        sticky && !tried.has(sticky)
          ? sticky
          : chooseMember(this.#usable(tried), { method, needs, pace, atLeast }),
      retry: () => this.#retries.spend(),
      hedge: () => this.#hedges.spend(),
    })
    const { member, answer } = await call.answer()
    this.#filters.made(asked, member, answer)
    return answer
  }

  #usable(tried: ReadonlySet<PoolMember>): readonly PoolMember[] {
    return this.#members.filter((member) => isInUse(member) && !tried.has(member))
  }

  #hedgeMs(first: PoolMember, { method }: AskedCall, pace: 'quick' | 'slow'): number | undefined {
    const usual = first[pace].percentile95
    if (!this.#options.hedges || usual === undefined || resendingOf(method) !== 'always') return undefined
    return Math.max(shortestHedgeMs, Math.ceil(usual / hedgeStepMs) * hedgeStepMs)
  }
}

function isInUse({ record, chain }: PoolMember): boolean {
  return !record.isCordoned && chain !== 'wrong'
}

function withdrawn(): RpcFailure {
  return new RpcFailure(rpcCodes.internalError, 'No upstream of this node is in use.', { status: 503 })
}
