import type { Logger } from 'pino'
import { type CancellationSignal, type Completion, promised, settleWith } from '@fairlead/runtime'
import { withSpan, currentTrace } from '@fairlead/gateway-core/telemetry/current-trace'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Call } from '../call.ts'
import type { ConnectedUpstream, PooledUpstream, Upstream } from './types.ts'
import type { UpstreamResponse } from '../response/upstream-response.ts'
import type { Fingerprint } from '@fairlead/gateway-core/upstream/upstream-registry'
import { RetryBudget, retryRules } from '@fairlead/gateway-core/upstream/retry-budget'
import { depthsOf } from '../chain/chain-depths.ts'
import type { ChainView } from '../chain/chain-view.ts'
import { highestRangeLimit, selectUpstream } from '@fairlead/gateway-core/upstream/select-upstream'
import {
  hasResponsive,
  laggingBlocks,
  PoolMember,
  type PoolUpstream,
  type UpstreamState,
} from '@fairlead/gateway-core/upstream/pool-member'
import { FailoverCall } from '@fairlead/gateway-core/upstream/failover-call'
import type { CallSupport } from '@fairlead/gateway-core/upstream/failover-settings'
import { rejectWith } from '../response/unusual-response.ts'
import { callRequirements, type ChainHeads } from './call-requirements.ts'
import { type AcceptableClass, EvmCall } from './evm-call.ts'
import { SingleUpstreamCall } from './single-upstream-call.ts'
import { HealthCheck, type HealthCheckTimes } from './health-check.ts'
import { SilenceWatch } from '@fairlead/gateway-core/upstream/silence-watch'
import { invalidFilterId, openFilter, signFilter, withoutFilter } from './filters.ts'
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

const hedgeRules = { share: 0.05, perSecond: 0, max: 10 }
const minHedgeMs = 50
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
    hasResponsive: () => hasResponsive(this.#members),
    retry: () => this.#retries.spend(),
    hedge: () => this.#hedges.spend(),
  }

  /**
   * @param upstreams - at least one
   * @param previous - pool that the node had before
   */
  constructor(
    upstreams: readonly PoolUpstream<ConnectedUpstream>[],
    options: PoolOptions,
    previous?: EvmPool,
  ) {
    this.#members = upstreams.map((upstream) => new PoolMember(upstream, 'evm', laggingBlocks))
    this.#only = this.#members.length === 1 ? this.#members[0] : undefined
    this.#options = options
    this.#watch = new HealthCheck(this.#members, options.watch, options.log, previous && previous.#watch)
    this.#silenceWatch = new SilenceWatch(
      this.#members,
      ({ upstream }, signal) => upstream.connection.call('eth_chainId', [], signal),
      () => this.#watch.checkSoon(),
      options.log,
    )
  }

  /** As {@link Upstream.send}. Fails with -32005 when every upstream has reached its call limit. */
  readonly send: Upstream['send'] = (call, signal, completion) => {
    const { filter } = call.policy
    if (filter === 'uses') this.#sendToOwner(call, signal, completion)
    else if (!this.#only) this.#sendToBest(call, signal, undefined, completion)
    else if (filter === undefined) this.#sendToOnly(this.#only, call, signal, completion)
    else this.#sendToOnly(this.#only, call, signal, this.#signing(this.#only, call, signal, completion))
  }

  readonly rangeLimitOf: NonNullable<Upstream['rangeLimitOf']> = (call) => {
    const { method, minBlock, policy } = call
    const { latencyClass } = policy
    const usable = this.#members.filter((member) => member.isInUse)
    const needs = callRequirements(call, this.#chainHeads)
    return highestRangeLimit(usable, { method, needs, latencyClass, minBlock })
  }

  readonly recordRangeLimit: NonNullable<Upstream['recordRangeLimit']> = (method, blocks) =>
    this.#only?.upstream.recordRangeLimit(method, blocks)

  get chain(): ChainView {
    return this.#watch.chain
  }

  states(): readonly UpstreamState[] {
    return this.#members.map(({ state }) => state)
  }

  /** Counts the latest block of a subscription for the lag of the upstreams. */
  announce(number: number): void {
    this.#watch.announce(number)
  }

  /** Polls the upstreams for their chain heads for a while. */
  watch(): void {
    void this.#watch.use()
  }

  /** Stops the health checks. Current calls complete. */
  retire(): void {
    this.#watch.retire()
  }

  close(): void {
    this.#watch.stop()
    this.#silenceWatch.stop()
  }

  #sendToOnly(
    member: PooledUpstream,
    call: Call,
    signal: CancellationSignal,
    completion: Completion<UpstreamResponse>,
  ): void {
    if (member.record.isCordoned) return completion.reject(withdrawn())
    const { upstream } = member
    const slot = takeSlot(upstream.rate, call.grant, signal)
    const send = () => {
      const recorded = new SingleUpstreamCall(member, call, completion)
      const { connection, id } = upstream
      // Most calls are not part of a trace, so the promise is avoided.
      if (currentTrace() === undefined) connection.send(call, signal, recorded)
      else {
        const facts = { 'fairlead.upstream': id }
        settleWith(
          withSpan('upstream', facts, () =>
            promised<UpstreamResponse>((traced) => connection.send(call, signal, traced)),
          ),
          recorded,
        )
      }
    }
    if (slot) slot.then(send).catch((error: unknown) => completion.reject(error))
    else send()
  }

  /**
   * Sends a call to the upstream that created the filter, because another upstream may use the same id for another
   * filter.
   */
  #sendToOwner(call: Call, signal: CancellationSignal, completion: Completion<UpstreamResponse>): void {
    const invalid = invalidFilterId(call)
    if (invalid) return completion.reject(invalid)
    const filter = openFilter(call, this.#members, this.#options.fingerprint)
    if (filter && this.#only) return this.#sendToOnly(this.#only, filter.call, signal, completion)
    // Clients create a missing filter again, possibly on another upstream.
    const isAvailable = filter && filter.owner.isInUse && filter.owner.upstream.isResponsive
    if (isAvailable) return this.#sendToBest(filter.call, signal, filter.owner, completion)
    const response = withoutFilter(call)
    if (response) completion.resolve(response)
    else completion.reject(new RpcError(rpcCodes.serverError, 'filter not found'))
  }

  /** Adds a mark of the creating upstream to the id of a new filter. */
  #signing(
    member: PooledUpstream,
    call: Call,
    signal: CancellationSignal,
    completion: Completion<UpstreamResponse>,
  ): Completion<UpstreamResponse> {
    const { fingerprint } = this.#options
    return {
      resolve: (response) => settleWith(signFilter(call, member, response, signal, fingerprint), completion),
      reject: (error) => completion.reject(error),
    }
  }

  /** @param owner - the only upstream that has the filter of the call */
  #sendToBest(
    call: Call,
    signal: CancellationSignal,
    owner: PooledUpstream | undefined,
    completion: Completion<UpstreamResponse>,
  ): void {
    const unknown = this.#watch.use()
    if (!unknown) return this.#begin(call, signal, owner, completion)
    const onReady = () => {
      try {
        this.#begin(call, signal, owner, completion)
      } catch (error) {
        completion.reject(error)
      }
    }
    settleWith(unknown, { resolve: onReady, reject: onReady })
  }

  #begin(
    call: Call,
    signal: CancellationSignal,
    owner: PooledUpstream | undefined,
    completion: Completion<UpstreamResponse>,
  ): void {
    if (!this.#members.some((member) => member.isInUse)) return completion.reject(withdrawn())
    this.#silenceWatch.beginCall()
    this.#retries.earn()
    this.#hedges.earn()
    const evmCall = new EvmCall(call, signal, owner, this.#chainHeads, this.#watch, this.#options.timeoutMs)
    new FailoverCall<ConnectedUpstream, UpstreamResponse, AcceptableClass, EvmCall>(evmCall, this.#support, {
      resolve: ({ member, response }) => {
        this.#silenceWatch.endCall()
        if (call.policy.filter !== 'creates') completion.resolve(response)
        else this.#signing(member, call, signal, completion).resolve(response)
      },
      reject: (error) => {
        this.#silenceWatch.endCall()
        rejectWith(error, completion)
      },
    }).begin()
  }

  #choose(
    { call: { method, minBlock }, latencyClass, needs, owner }: EvmCall,
    tried: readonly PooledUpstream[],
  ): PooledUpstream | undefined {
    if (owner) return tried.includes(owner) ? undefined : owner
    const usable = this.#members.filter((member) => member.isInUse && !tried.includes(member))
    return selectUpstream(usable, { method, needs, latencyClass, minBlock })
  }

  get #chainHeads(): ChainHeads {
    const { head, chainId } = this.#watch
    return { head, archiveDepth: depthsOf(chainId).archive }
  }

  #hedgeMs(first: PooledUpstream, { latencyClass, resending }: EvmCall): number | undefined {
    if (!this.#options.hedges || resending !== 'always') return undefined
    const p95 = first.upstream.latency[latencyClass].percentile95
    if (p95 === undefined) return undefined
    return Math.max(minHedgeMs, Math.ceil(p95 / hedgeStepMs) * hedgeStepMs)
  }
}

function withdrawn(): RpcError {
  return new RpcError(
    rpcCodes.internalError,
    'No upstream of this node is available: all are cordoned or on another chain.',
    { status: 503 },
  )
}
