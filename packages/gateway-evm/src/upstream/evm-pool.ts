import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import type { CancellationSignal } from '@fairlead/http1'
import { withSpan, currentTrace } from '@fairlead/gateway-core/telemetry/current-trace'
import { latencyClass } from '../methods/latency-class.ts'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { type Completion, settleWith } from '@fairlead/gateway-core/completion'
import {
  type CallInfo,
  type ConnectedUpstream,
  type PooledUpstream,
  unknownCall,
  type Upstream,
} from './types.ts'
import type { UpstreamResponse } from './upstream-response.ts'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { Upstream as SharedUpstream } from '@fairlead/gateway-core/upstream/upstream'
import type { Fingerprint } from '@fairlead/gateway-core/upstream/upstream-registry'
import { RetryBudget, retryRules } from '@fairlead/gateway-core/upstream/retry-budget'
import { depthsOf } from '../chain/chain-depths.ts'
import type { ChainView } from '../chain/chain-view.ts'
import { selectUpstream } from '@fairlead/gateway-core/upstream/select-upstream'
import {
  laggingBlocks,
  PoolMember,
  type PoolUpstream,
  type UpstreamState,
} from '@fairlead/gateway-core/upstream/pool-member'
import { type CallSupport, FailoverCall } from '@fairlead/gateway-core/upstream/failover-call'
import type { ResponseClass } from './classify-response.ts'
import { EvmCall, type GivenCall } from './evm-call.ts'
import { HealthCheck, type HealthCheckTimes } from './health-check.ts'
import { SilenceWatch } from '@fairlead/gateway-core/upstream/silence-watch'
import { badFilterId, makesFilter, openFilter, signFilter, usesFilter, withoutFilter } from './filters.ts'
import { takeSlot } from '@fairlead/gateway-core/upstream/rate-slot'

/** Options of {@link EvmPool}. */
export interface PoolOptions {
  /** Timeout for a response. */
  readonly timeoutMs: number
  /**
   * Whether a hedge is sent to a second upstream when the first one takes longer than usual. May change at run time.
   */
  readonly hedges: boolean
  readonly watch: HealthCheckTimes
  /** Computes the marks of filter ids. */
  readonly fingerprint: Fingerprint
  readonly log: Logger | undefined
}

const hedgeRules = { share: 0.05, perSecond: 0, most: 10 }
const shortestHedgeMs = 50
const hedgeStepMs = 10

/** Combines the upstreams of one node into one. */
export class EvmPool {
  readonly #members: readonly PooledUpstream[]
  readonly #only: PooledUpstream | undefined
  readonly #options: PoolOptions
  readonly #watch: HealthCheck
  readonly #silenceWatch: SilenceWatch<PooledUpstream>
  readonly #retries = new RetryBudget(retryRules)
  readonly #hedges = new RetryBudget(hedgeRules)
  readonly #support: CallSupport<ConnectedUpstream, EvmCall> = {
    choose: (call, tried) => this.#choose(call, tried),
    hedgeMs: (first, call) => this.#hedgeMs(first, call),
    retry: () => this.#retries.spend(),
    hedge: () => this.#hedges.spend(),
  }

  /** @param upstreams - at least one */
  constructor(upstreams: readonly PoolUpstream<ConnectedUpstream>[], options: PoolOptions) {
    this.#members = upstreams.map((upstream) => new PoolMember(upstream, 'evm', laggingBlocks))
    this.#only = this.#members.length === 1 ? this.#members[0] : undefined
    this.#options = options
    this.#watch = new HealthCheck(this.#members, options.watch, options.log)
    this.#silenceWatch = new SilenceWatch(
      this.#members,
      ({ upstream }, signal) => upstream.connection.call('eth_chainId', [], signal),
      options.log,
    )
  }

  /** As {@link Upstream.send}. Fails with -32005 when every upstream has reached its call limit. */
  readonly send: Upstream['send'] = (body, signal, asked = unknownCall, completion) => {
    if (usesFilter(asked.method)) this.#askMaker(signal, asked, completion)
    else if (!this.#only) this.#askBest({ body, signal, asked }, completion)
    else if (!makesFilter(asked.method)) this.#askOnly(this.#only, body, signal, asked, completion)
    else this.#askOnly(this.#only, body, signal, asked, this.#sealing(this.#only, signal, asked, completion))
  }

  get chain(): ChainView {
    return this.#watch.chain
  }

  states(): readonly UpstreamState[] {
    return this.#members.map(({ state }) => state)
  }

  /** Polls the upstreams for their chain heads for a while. */
  watch(): void {
    void this.#watch.use()
  }

  close(): void {
    this.#watch.stop()
    this.#silenceWatch.stop()
  }

  #askOnly(
    member: PooledUpstream,
    body: string,
    signal: CancellationSignal,
    asked: CallInfo,
    completion: Completion<UpstreamResponse>,
  ): void {
    if (member.record.isCordoned) return completion.reject(withdrawn())
    const { upstream } = member
    const turn = takeSlot(upstream.rate, signal)
    const ask = () => {
      const only = new OnlyCall(upstream, latencyClass(asked.method), completion)
      const { connection, id } = upstream
      // Most calls are not part of a trace, so the promise is avoided.
      if (currentTrace() === undefined) connection.send(body, signal, asked, only)
      else {
        const facts = { 'fairlead.upstream': id }
        settleWith(
          withSpan('upstream', facts, () => connection.post(body, signal, asked)),
          only,
        )
      }
    }
    if (turn) turn.then(ask).catch((error: unknown) => completion.reject(error))
    else ask()
  }

  /**
   * Sends a call to the upstream that created the filter, because another upstream may use the same id for another
   * filter.
   */
  #askMaker(signal: CancellationSignal, asked: CallInfo, completion: Completion<UpstreamResponse>): void {
    const bad = badFilterId(asked)
    if (bad) return completion.reject(bad)
    const filter = openFilter(asked, this.#members, this.#options.fingerprint)
    if (filter && this.#only) return this.#askOnly(this.#only, filter.body, signal, filter.asked, completion)
    // Clients create a missing filter again, possibly on another upstream.
    const isThere = filter && filter.owner.isInUse && filter.owner.upstream.isResponsive
    if (isThere) return this.#askBest({ ...filter, signal }, completion)
    const answer = withoutFilter(asked)
    if (answer) completion.resolve(answer)
    else completion.reject(new RpcError(rpcCodes.serverError, 'filter not found'))
  }

  /** Adds a mark of the creating upstream to the id of a new filter. */
  #sealing(
    member: PooledUpstream,
    signal: CancellationSignal,
    asked: CallInfo,
    completion: Completion<UpstreamResponse>,
  ): Completion<UpstreamResponse> {
    const { fingerprint } = this.#options
    return {
      resolve: (answer) => settleWith(signFilter(asked, member, answer, signal, fingerprint), completion),
      reject: (error) => completion.reject(error),
    }
  }

  #askBest(given: GivenCall, completion: Completion<UpstreamResponse>): void {
    const unknown = this.#watch.use()
    if (!unknown) return this.#beginCall(given, completion)
    const begin = () => {
      try {
        this.#beginCall(given, completion)
      } catch (error) {
        completion.reject(error)
      }
    }
    settleWith(unknown, { resolve: begin, reject: begin })
  }

  #beginCall(given: GivenCall, completion: Completion<UpstreamResponse>): void {
    const { asked, signal } = given
    if (!this.#members.some((member) => member.isInUse)) return completion.reject(withdrawn())
    const { method } = asked
    const { head, chainId } = this.#watch
    this.#silenceWatch.start()
    this.#retries.earn()
    this.#hedges.earn()
    const chain = { head, archiveDepth: depthsOf(chainId).archive }
    const call = new EvmCall(given, chain, this.#options.timeoutMs)
    new FailoverCall<ConnectedUpstream, UpstreamResponse, ResponseClass, EvmCall>(call, this.#support, {
      resolve: ({ member, response }) => {
        if (!makesFilter(method)) completion.resolve(response)
        else this.#sealing(member, signal, asked, completion).resolve(response)
      },
      reject: (error) => completion.reject(error),
    }).begin()
  }

  #choose(
    { asked, pace, needs, owner: maker }: EvmCall,
    tried: readonly PooledUpstream[],
  ): PooledUpstream | undefined {
    if (maker) return tried.includes(maker) ? undefined : maker
    const { method, minBlock } = asked
    const usable = this.#members.filter((member) => member.isInUse && !tried.includes(member))
    return selectUpstream(usable, { method, needs, pace, minBlock })
  }

  #hedgeMs(first: PooledUpstream, { pace, resending }: EvmCall): number | undefined {
    if (!this.#options.hedges || resending !== 'always') return undefined
    const usual = first.upstream[pace].percentile95
    if (usual === undefined) return undefined
    return Math.max(shortestHedgeMs, Math.ceil(usual / hedgeStepMs) * hedgeStepMs)
  }
}

/** A call to the only upstream of a node. */
class OnlyCall implements Completion<UpstreamResponse> {
  readonly #upstream: SharedUpstream<ConnectedUpstream>
  readonly #pace: 'quick' | 'slow'
  readonly #completion: Completion<UpstreamResponse>
  readonly #began = performance.now()

  constructor(
    upstream: SharedUpstream<ConnectedUpstream>,
    pace: 'quick' | 'slow',
    completion: Completion<UpstreamResponse>,
  ) {
    this.#upstream = upstream
    this.#pace = pace
    this.#completion = completion
    // There is no alternative upstream. A response proves that the upstream is healthy again.
    upstream.breaker.probe()
    upstream.calls += 1
    upstream.callsInFlight += 1
  }

  resolve(answer: UpstreamResponse): void {
    this.#upstream.answered()
    this.#end()
    this.#completion.resolve(answer)
  }

  reject(error: unknown): void {
    if (error instanceof UpstreamError) this.#upstream.failed(error, this.#pace)
    this.#end()
    this.#completion.reject(error)
  }

  #end(): void {
    this.#upstream[this.#pace].add(performance.now() - this.#began)
    this.#upstream.callsInFlight -= 1
  }
}

function withdrawn(): RpcError {
  return new RpcError(rpcCodes.internalError, 'No upstream of this node is in use.', { status: 503 })
}
