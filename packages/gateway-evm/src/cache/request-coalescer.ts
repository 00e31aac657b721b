import { performance } from 'node:perf_hooks'
import { type CancellationSignal, type Completion, promised, settleWith } from '@fairlead/runtime'
import { currentPassedThrough } from '@fairlead/gateway-core/network/cdn-loop'
import { currentTrace } from '@fairlead/gateway-core/telemetry/current-trace'
import type { TickBudget } from '@fairlead/gateway-core/admission/tick-budget'
import type { RpcResponse } from '../response/rpc-response.ts'
import { UpstreamResponse } from '../response/upstream-response.ts'
import type { ClientCall } from '../client-call.ts'
import type { Upstream } from '../upstream/types.ts'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { type BlockOfCall, blockOfCall, blockNumberInResult } from './block-of-call.ts'
import type { CacheRule } from './cache-rule.ts'
import { canonicalParams } from './cache-key.ts'
import { InFlightRequest, isFinalFailure, type RequestOutcome } from './in-flight-request.ts'
import { InFlightRequests } from './in-flight-requests.ts'
import { type MemoryCache, type CacheValidity, maxCachedBytes } from './memory-cache.ts'
import type { ChainIdentity } from './chain-identity.ts'
import { type SharedCache, KeySpace } from './shared-cache.ts'

/** Counters of lookup outcomes, shared by all nodes. */
export interface LookupCounts {
  hits: number
  misses: number
  joins: number
}

/** Dependencies of {@link RequestCoalescer}. */
export interface RequestCoalescerOptions<call extends ClientCall> {
  readonly upstream: Upstream
  readonly send: SendCall<call>
  readonly chain: ChainIdentity
  readonly cache: MemoryCache
  readonly shared: SharedCache
  readonly counts: LookupCounts
  /** Spreads the responses to coalesced calls over event-loop ticks. */
  readonly budget: TickBudget
  /**
   * How long a response about the latest block may be cached while that block is the latest, in milliseconds. 0
   * disables this.
   */
  readonly headMs: () => number
}

/** Sends a call to its upstream. The signal cancels the exchange. */
export type SendCall<call extends ClientCall> = (
  call: call,
  signal: CancellationSignal,
  completion: Completion<RpcResponse | UpstreamResponse>,
) => void

/** Caches the responses of one node and coalesces identical in-flight requests. */
export class RequestCoalescer<call extends ClientCall> {
  readonly #options: RequestCoalescerOptions<call>
  readonly #keySpace: KeySpace
  readonly #inFlightRequests = new InFlightRequests()

  constructor(options: RequestCoalescerOptions<call>) {
    this.#options = options
    this.#keySpace = new KeySpace(options.shared, options.chain)
  }

  /**
   * Responds to a call from the cache, from an identical in-flight request, or from the upstream.
   *
   * @param completion - receives the response, or the error of `send`
   */
  respond(call: call, completion: Completion<RpcResponse | UpstreamResponse>): void {
    this.#respond(call, '', completion)
  }

  /** As {@link respond}, for a chunk of the response to another call. The chunk may equal that call. */
  respondChunk(call: call, completion: Completion<RpcResponse | UpstreamResponse>): void {
    this.#respond(call, 'part ', completion)
  }

  /** @param variant - distinguishes chunks from full responses */
  #respond(call: call, variant: string, completion: Completion<RpcResponse | UpstreamResponse>): void {
    const { policy, params, paramsText } = call
    const rule = policy.cache
    const { chain, cache, counts } = this.#options
    // Pending state changes without notice. A call that began before the upstreams changed may be of another chain.
    if (!rule || paramsText.includes('"pending"') || !this.#isCurrent(call))
      return this.#sendUncached(call, completion)
    const block = blockOfCall(rule.ttl, params)
    const { prefix } = chain
    const group = groupOf(variant, call, rule)
    const canonical = canonicalParams(paramsText)
    if (cache.isEnabled && chain.isCacheable) {
      const cached = cache.get(`${prefix}${group} ${canonical}`, chain.headKey)
      if (cached !== undefined) {
        counts.hits += 1
        currentTrace()?.setAttributes({ 'fairlead.cache': 'hit' })
        return completion.resolve({ result: cached })
      }
      counts.misses += 1
      currentTrace()?.setAttributes({ 'fairlead.cache': 'miss' })
    }
    const isShared = rule.isShared && (block.kind === 'self-describing' || this.#isFinal(block, rule))
    const sharedPrefix = isShared ? this.#keySpace.prefix : undefined
    const sharedKey = sharedPrefix === undefined ? undefined : `${sharedPrefix}${group} ${canonical}`
    const key = { prefix, group, params: canonical, sharedKey, rule, block }
    const request = new InFlightRequest(call, key)
    const inFlight = this.#joinable(request)
    // A forwarded call from another gateway could wait for a request that waits for this call there.
    if (inFlight && currentPassedThrough() !== undefined) this.#options.send(call, call.signal, completion)
    else if (inFlight) settleWith(this.#join(inFlight, request), completion)
    else this.#start(request, completion)
  }

  #sendUncached(call: call, completion: Completion<RpcResponse | UpstreamResponse>): void {
    if (call.found?.method.idempotent) return this.#options.send(call, call.signal, completion)
    this.#options.send(call, call.signal, {
      resolve: (response) => {
        this.#options.chain.changed()
        completion.resolve(response)
      },
      reject: (error) => {
        this.#options.chain.changed()
        completion.reject(error)
      },
    })
  }

  /** Whether the upstreams of a call are the current ones of the node. */
  #isCurrent({ upstream }: call): boolean {
    return this.#options.chain.isCurrent(upstream.list?.version)
  }

  /**
   * Returns an identical in-flight request of the current epoch, whose response is as recent as that of a new request.
   */
  #joinable(request: InFlightRequest<call>): InFlightRequest | undefined {
    if (!this.#isCurrent(request.call)) return undefined
    const inFlight = this.#inFlightRequests.get(request)
    return inFlight?.epoch === this.#options.chain.epoch ? inFlight : undefined
  }

  /** Waits for an identical in-flight request. If it fails, the call is retried once. */
  async #join(
    first: InFlightRequest,
    request: InFlightRequest<call>,
  ): Promise<RpcResponse | UpstreamResponse> {
    const { call } = request
    const { signal } = call
    let inFlight: InFlightRequest | undefined = first
    for (let attempt = 0; inFlight; attempt += 1) {
      this.#options.counts.joins += 1
      currentTrace()?.setAttributes({ 'fairlead.cache': 'coalesced' })
      const outcome = await inFlight.wait(inFlight.join(), signal)
      if (outcome.kind === 'response') return outcome.response
      // resend: large coalesced response
      if (outcome.kind === 'large')
        return promised((completion) => this.#options.send(call, signal, completion))
      const isAborted = outcome.failure instanceof UpstreamError && outcome.failure.kind === 'aborted'
      if (isFinalFailure(outcome.failure) || (attempt > 0 && !isAborted)) throw outcome.failure
      inFlight = this.#joinable(request)
    }
    // resend: failed coalesced call
    return promised((completion) => this.#start(request, completion))
  }

  #start(request: InFlightRequest<call>, completion: Completion<RpcResponse | UpstreamResponse>): void {
    const { call } = request
    const { signal } = call
    // No call of the current upstreams may join it.
    if (!this.#isCurrent(call)) return this.#options.send(call, signal, completion)
    // A short call is cheaper to repeat than to detach from the first caller's cancellation.
    const isShort = call.policy.latencyClass === 'short'
    request.begin(this.#options.chain.epoch, !isShort)
    this.#inFlightRequests.add(request)
    if (isShort) this.#execute(request, completion)
    else settleWith(this.#startDetached(request), completion)
  }

  async #startDetached(request: InFlightRequest<call>): Promise<RpcResponse | UpstreamResponse> {
    const { signal } = request.call
    const responsePromise = promised<RpcResponse | UpstreamResponse>((completion) =>
      this.#execute(request, completion),
    )
    try {
      const response = await request.wait(responsePromise, signal)
      if (response instanceof UpstreamResponse && !response.isBuffered) request.cancelWith(signal, response)
      return response
    } catch (error) {
      // No caller is left to read the response.
      responsePromise.then(
        (response) => response instanceof UpstreamResponse && response.cancel(),
        () => undefined,
      )
      throw error
    }
  }

  #execute(request: InFlightRequest<call>, completion: Completion<RpcResponse | UpstreamResponse>): void {
    if (request.sharedKey === undefined) this.#send(request, completion)
    else settleWith(this.#executeWithStore(request, request.sharedKey), completion)
  }

  async #executeWithStore(
    request: InFlightRequest<call>,
    sharedKey: string,
  ): Promise<RpcResponse | UpstreamResponse> {
    const shared = await this.#options.shared.get(sharedKey)
    if (shared === undefined) return promised((completion) => this.#send(request, completion))
    const rpcResponse = { result: shared }
    this.#store(request, shared, this.#validityOf(request), undefined)
    this.#settle(request, { kind: 'response', response: rpcResponse })
    return rpcResponse
  }

  #send(request: InFlightRequest<call>, completion: Completion<RpcResponse | UpstreamResponse>): void {
    const until = this.#validityOf(request)
    const fail = (failure: unknown) => {
      this.#settle(request, { kind: 'failed', failure })
      completion.reject(failure)
    }
    const settle = (response: RpcResponse | UpstreamResponse, rpcResponse: RpcResponse | undefined) => {
      this.#settle(request, rpcResponse ? { kind: 'response', response: rpcResponse } : { kind: 'large' })
      if (!rpcResponse) return completion.resolve(response)
      // A buffered response has not been consumed.
      const isUnread = response instanceof UpstreamResponse && response.isBuffered && request.joined === 0
      completion.resolve(isUnread ? response : rpcResponse)
    }
    this.#options.send(request.call, request.signal, {
      resolve: (response) => {
        // Most responses are for a single caller and are not cached.
        if (response instanceof UpstreamResponse && until === undefined && request.joined === 0)
          settle(response, undefined)
        else this.#unwrap(response, request, until).then((rpcResponse) => settle(response, rpcResponse), fail)
      },
      reject: fail,
    })
  }

  #settle(request: InFlightRequest<call>, outcome: RequestOutcome): void {
    this.#inFlightRequests.delete(request)
    request.settle(outcome, this.#options.budget)
  }

  /**
   * Returns the response without its envelope if it is short enough, and caches it for as long as allowed. Returns
   * undefined otherwise.
   */
  async #unwrap(
    response: RpcResponse | UpstreamResponse,
    request: InFlightRequest<call>,
    until: Validity | undefined,
  ): Promise<RpcResponse | undefined> {
    const rpcResponse =
      response instanceof UpstreamResponse ? await this.#readShort(response, request) : response
    if (rpcResponse && 'result' in rpcResponse)
      this.#store(request, rpcResponse.result, until, request.sharedKey)
    return rpcResponse
  }

  async #readShort(
    response: UpstreamResponse,
    { call, signal }: InFlightRequest<call>,
  ): Promise<RpcResponse | undefined> {
    const reservation = this.#options.upstream.reserve()
    const length = Math.min(response.length ?? maxCachedBytes, maxCachedBytes)
    try {
      if (!reservation.canReserve(length)) return undefined
      reservation.take(length)
      return await response.readShort(call.method, maxCachedBytes, signal)
    } finally {
      reservation.release()
    }
  }

  /** Returns until when the response to a new request may be cached. Undefined when it may not be cached. */
  #validityOf({ rule, block }: InFlightRequest<call>): Validity | undefined {
    const { chain, cache } = this.#options
    if (!cache.isEnabled || !chain.isCacheable) return undefined
    if (rule.ttl.kind === 'params') return {}
    if (rule.ttl.kind === 'chain') return { until: performance.now() + rule.ttl.ms }
    if (block.kind === 'self-describing')
      return chain.finalized === undefined ? undefined : { finalized: chain.finalized }
    if (block.kind === 'number') return this.#isFinal(block, rule) ? { number: block.number } : undefined
    const { headKey } = chain
    const headMs = this.#options.headMs()
    if (block.kind === 'unknown' || headMs === 0 || headKey === undefined) return undefined
    return { until: performance.now() + headMs, head: headKey }
  }

  #isFinal(block: BlockOfCall, { ttl }: CacheRule): boolean {
    const { chain } = this.#options
    const last = ttl.kind === 'logs' ? chain.surelyFinalized : chain.finalized
    return block.kind === 'number' && last !== undefined && block.number <= last
  }

  #store(
    { prefix, group, params, block, call }: InFlightRequest<call>,
    result: string,
    until: Validity | undefined,
    sharedKey: string | undefined,
  ): void {
    const { chain, cache, shared } = this.#options
    // Only responses of the current upstreams are cached. They may be of another chain than those before them.
    if (!this.#isCurrent(call)) return
    // Null may mean that the upstream does not have the object yet. Entries under the key prefix of a replaced chain
    // are never found.
    if (!until || result === 'null' || prefix !== chain.prefix || result.length > maxCachedBytes) return
    const number = block.kind === 'self-describing' ? blockNumberInResult(result, block.field) : until.number
    if (block.kind === 'self-describing' && !(number !== undefined && number <= (until.finalized ?? -1)))
      return
    if (until.head !== undefined && until.head !== chain.headKey) return
    if (result === '[]' && !((number ?? 0) <= (chain.surelyFinalized ?? -1))) return
    if (number !== undefined) chain.cached(number)
    cache.set(`${prefix}${group} ${params}`, result, { until: until.until, head: until.head })
    if (sharedKey !== undefined) shared.set(sharedKey, result)
  }
}

/** Until when a response may be cached, as determined before the request is sent. */
interface Validity extends CacheValidity {
  /** Number of the block that the response belongs to. */
  readonly number?: number
  /** Number of the highest block that the response may name as its own. */
  readonly finalized?: number
}

function groupOf(
  variant: string,
  { method, endpoint, maxLogRange = 0 }: ClientCall,
  { ttl }: CacheRule,
): string {
  // A range that is too long for one caller may be allowed for another.
  const limit = ttl.kind === 'logs' ? ` ${maxLogRange}` : ''
  return variant === '' && endpoint === '' && limit === ''
    ? method
    : `${variant}${endpoint} ${method}${limit}`
}
