import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import type { CancellationSignal } from '@fairlead/http1'
import { asPart, currentTrace } from '@fairlead/gateway-core/telemetry/current-trace'
import type { UpstreamRecord } from '@fairlead/gateway-core/grants/parse-upstreams'
import { callNeeds } from './call-requirements.ts'
import { paceOf } from '../methods/latency-class.ts'
import { RpcFailure } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { type Awaiter, tell } from '@fairlead/gateway-core/completion'
import {
  type AskedCall,
  type ConnectedUpstream,
  type EvmMember,
  unknownCall,
  type Upstream,
} from './types.ts'
import type { UpstreamAnswer } from './upstream-response.ts'
import { UpstreamFailure } from '@fairlead/gateway-core/upstream/upstream-error'
import { CallBudget } from '@fairlead/gateway-core/upstream/retry-budget'
import { depthsOf } from '../chain/chain-depths.ts'
import type { ChainView } from '../chain/chain-view.ts'
import { type CallNeeds, chooseMember } from '@fairlead/gateway-core/upstream/select-upstream'
import { PoolMember, type UpstreamState } from '@fairlead/gateway-core/upstream/upstream'
import { type CallSupport, type PoolCall, PooledCall } from './failover-call.ts'
import { PoolWatch, type WatchTimes } from './health-check.ts'
import { SilenceWatch } from '@fairlead/gateway-core/upstream/silence-watch'
import {
  type Fingerprint,
  badFilterId,
  makesFilter,
  openFilter,
  sealFilter,
  usesFilter,
  withoutFilter,
} from './filters.ts'
import { resendingOf } from './idempotency.ts'
import { takeTurn } from '@fairlead/gateway-core/upstream/rate-slot'

/** What the upstreams of one node are called with. */
export interface PoolOptions {
  /** Longest wait for an answer. */
  readonly timeoutMs: number
  /** Whether a second upstream is asked when the first one takes longer than it mostly does. It may change. */
  readonly hedges: boolean
  readonly watch: WatchTimes
  /** Marks the ids of filters. */
  readonly fingerprint: Fingerprint
  readonly log: Logger | undefined
}

const retryRules = { share: 0.2, perSecond: 10, most: 256 }
const hedgeRules = { share: 0.05, perSecond: 0, most: 10 }
const shortestHedgeMs = 50
const hedgeStepMs = 10
const shortestLateMs = 1_000

/** A call as it comes to the pool. */
type GivenCall = Pick<PoolCall, 'body' | 'asked' | 'signal' | 'maker'>

/** The upstreams of one node: they are called as one. */
export class NodePool {
  readonly #members: readonly EvmMember[]
  readonly #only: EvmMember | undefined
  readonly #options: PoolOptions
  readonly #watch: PoolWatch
  readonly #silenceWatch: SilenceWatch<EvmMember>
  readonly #retries = new CallBudget(retryRules)
  readonly #hedges = new CallBudget(hedgeRules)
  readonly #support: CallSupport = {
    choose: (call, needs, tried) => this.#choose(call, needs, tried),
    hedgeMs: (first, call) => this.#hedgeMs(first, call),
    retry: () => this.#retries.spend(),
    hedge: () => this.#hedges.spend(),
  }

  /** @param upstreams - at least one */
  constructor(
    label: string,
    upstreams: readonly { readonly upstream: ConnectedUpstream; readonly record: UpstreamRecord }[],
    options: PoolOptions,
  ) {
    this.#members = upstreams.map(
      ({ upstream, record }, position) => new PoolMember(`${label}/${position}`, upstream, record),
    )
    this.#only = this.#members.length === 1 ? this.#members[0] : undefined
    this.#options = options
    this.#watch = new PoolWatch(this.#members, options.watch, options.log)
    this.#silenceWatch = new SilenceWatch(
      this.#members,
      ({ upstream }, signal) => upstream.call('eth_chainId', [], signal),
      options.log,
    )
  }

  /** As {@link Upstream.ask}; -32005 when every upstream has all the calls that it takes. */
  readonly ask: Upstream['ask'] = (body, signal, asked = unknownCall, awaiter) => {
    if (usesFilter(asked.method)) this.#askMaker(signal, asked, awaiter)
    else if (!this.#only) this.#askBest({ body, signal, asked }, awaiter)
    else if (!makesFilter(asked.method)) this.#askOnly(this.#only, body, signal, asked, awaiter)
    else this.#askOnly(this.#only, body, signal, asked, this.#sealing(this.#only, signal, asked, awaiter))
  }

  get chain(): ChainView {
    return this.#watch.chain
  }

  states(): readonly UpstreamState[] {
    return this.#members.map(({ state }) => state)
  }

  close(): void {
    this.#watch.stop()
    this.#silenceWatch.stop()
  }

  #askOnly(
    member: EvmMember,
    body: string,
    signal: CancellationSignal,
    asked: AskedCall,
    awaiter: Awaiter<UpstreamAnswer>,
  ): void {
    if (member.record.isCordoned) return awaiter.reject(withdrawn())
    const turn = takeTurn(member.rate, signal)
    const ask = () => {
      const only = new OnlyCall(member, paceOf(asked.method), awaiter)
      const { upstream, label } = member
      // Most calls are part of no trace, and are spared a promise.
      if (currentTrace() === undefined) upstream.ask(body, signal, asked, only)
      else {
        const facts = { 'fairlead.upstream': label }
        tell(
          asPart('upstream', facts, () => upstream.post(body, signal, asked)),
          only,
        )
      }
    }
    if (turn) turn.then(ask).catch((error: unknown) => awaiter.reject(error))
    else ask()
  }

  /** Asks the upstream that has made the filter; another one may have given its id to the filter of somebody else. */
  #askMaker(signal: CancellationSignal, asked: AskedCall, awaiter: Awaiter<UpstreamAnswer>): void {
    const bad = badFilterId(asked)
    if (bad) return awaiter.reject(bad)
    const filter = openFilter(asked, this.#members, this.#options.fingerprint)
    if (filter && this.#only) return this.#askOnly(this.#only, filter.body, signal, filter.asked, awaiter)
    // Clients make a filter that is not there anew, and so come to another upstream.
    const isThere = filter && isInUse(filter.maker) && filter.maker.isResponsive
    if (isThere) return this.#askBest({ ...filter, signal }, awaiter)
    const answer = withoutFilter(asked)
    if (answer) awaiter.resolve(answer)
    else awaiter.reject(new RpcFailure(rpcCodes.serverError, 'filter not found'))
  }

  /** Puts the mark of its maker before the id of a new filter. */
  #sealing(
    member: EvmMember,
    signal: CancellationSignal,
    asked: AskedCall,
    awaiter: Awaiter<UpstreamAnswer>,
  ): Awaiter<UpstreamAnswer> {
    const { fingerprint } = this.#options
    return {
      resolve: (answer) => tell(sealFilter(asked, member, answer, signal, fingerprint), awaiter),
      reject: (error) => awaiter.reject(error),
    }
  }

  #askBest(given: GivenCall, awaiter: Awaiter<UpstreamAnswer>): void {
    const unknown = this.#watch.use()
    if (!unknown) return this.#beginCall(given, awaiter)
    const begin = () => {
      try {
        this.#beginCall(given, awaiter)
      } catch (error) {
        awaiter.reject(error)
      }
    }
    tell(unknown, { resolve: begin, reject: begin })
  }

  #beginCall(given: GivenCall, awaiter: Awaiter<UpstreamAnswer>): void {
    const { asked, signal } = given
    if (!this.#members.some(isInUse)) return awaiter.reject(withdrawn())
    const { timeoutMs } = this.#options
    const { method } = asked
    const pace = paceOf(method)
    const { head, chainId } = this.#watch
    this.#silenceWatch.start()
    this.#retries.earn()
    this.#hedges.earn()
    const call = {
      ...given,
      pace,
      needs: callNeeds(asked, { head, archiveDepth: depthsOf(chainId).archive }),
      resending: resendingOf(method),
      lateMs: pace === 'quick' ? Math.max(shortestLateMs, timeoutMs / 10) : timeoutMs / 2,
    }
    new PooledCall(call, this.#support, {
      resolve: ({ member, answer }) => {
        if (!makesFilter(method)) awaiter.resolve(answer)
        else this.#sealing(member, signal, asked, awaiter).resolve(answer)
      },
      reject: (error) => awaiter.reject(error),
    }).begin()
  }

  #choose(
    { asked, pace, maker }: PoolCall,
    needs: CallNeeds,
    tried: readonly EvmMember[],
  ): EvmMember | undefined {
    if (maker) return tried.includes(maker) ? undefined : maker
    const { method, atLeast } = asked
    const usable = this.#members.filter((member) => isInUse(member) && !tried.includes(member))
    return chooseMember(usable, { method, needs, pace, atLeast })
  }

  #hedgeMs(first: EvmMember, { pace, resending }: PoolCall): number | undefined {
    if (!this.#options.hedges || resending !== 'always') return undefined
    const usual = first[pace].percentile95
    if (usual === undefined) return undefined
    return Math.max(shortestHedgeMs, Math.ceil(usual / hedgeStepMs) * hedgeStepMs)
  }
}

/** A call at the only upstream there is. */
class OnlyCall implements Awaiter<UpstreamAnswer> {
  readonly #member: EvmMember
  readonly #pace: 'quick' | 'slow'
  readonly #awaiter: Awaiter<UpstreamAnswer>
  readonly #began = performance.now()

  constructor(member: EvmMember, pace: 'quick' | 'slow', awaiter: Awaiter<UpstreamAnswer>) {
    this.#member = member
    this.#pace = pace
    this.#awaiter = awaiter
    // There is no other one to go to; an answer shows that it is well again.
    member.breaker.probe()
    member.calls += 1
    member.callsInFlight += 1
  }

  resolve(answer: UpstreamAnswer): void {
    this.#member.answered()
    this.#end()
    this.#awaiter.resolve(answer)
  }

  reject(error: unknown): void {
    if (error instanceof UpstreamFailure) this.#member.failed(error, this.#pace)
    this.#end()
    this.#awaiter.reject(error)
  }

  #end(): void {
    this.#member[this.#pace].add(performance.now() - this.#began)
    this.#member.callsInFlight -= 1
  }
}

function isInUse({ record, chain }: EvmMember): boolean {
  return !record.isCordoned && chain !== 'wrong'
}

function withdrawn(): RpcFailure {
  return new RpcFailure(rpcCodes.internalError, 'No upstream of this node is in use.', { status: 503 })
}
