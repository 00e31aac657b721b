import { performance } from 'node:perf_hooks'
import {
  type CancellationSignal,
  type Completion,
  promised,
  settleWith,
  type Tenant,
} from '@fairlead/runtime'
import { currentPassedThrough } from '@fairlead/gateway-core/network/cdn-loop'
import { currentTrace } from '@fairlead/gateway-core/telemetry/current-trace'
import type { TickBudget } from '@fairlead/gateway-core/admission/tick-budget'
import type { MethodPolicy, SpecifiedMethod } from '../methods/method-policy.ts'
import type { RpcResponse } from '../response/rpc-response.ts'
import { UpstreamResponse } from '../response/upstream-response.ts'
import type { Upstream } from '../upstream/types.ts'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { type BlockOfCall, blockOfCall, blockNumberInResult } from './block-of-call.ts'
import type { CacheRule } from './cache-rule.ts'
import { canonicalParams } from './cache-key.ts'
import { InFlightRequest, isFinalFailure, type RequestOutcome } from './in-flight-request.ts'
import { type CallKey, InFlightRequests } from './in-flight-requests.ts'
import { type MemoryCache, type CacheValidity, maxCachedBytes } from './memory-cache.ts'
import type { ChainIdentity } from './chain-identity.ts'
import { type SharedCache, KeySpace } from './shared-cache.ts'

/** The parts of a call on which its response depends. */
export interface CacheableCall {
  readonly endpoint: '' | 'evm'
  /** Maximum number of blocks in a log query. 0 or undefined = unlimited. */
  readonly maxLogRange?: number | undefined
  /** Aborts when the client disconnects or the timeout expires. */
  readonly signal: CancellationSignal
  /** The client. Only requests of its organization are coalesced. */
  readonly grant: Tenant
}

/** The method and params to send. */
export interface CacheableMethod extends SpecifiedMethod {
  readonly params: readonly unknown[]
  /** The params as JSON. */
  readonly paramsText: string
}

/** Counters of lookup outcomes, shared by all nodes. */
export interface LookupCounts {
  hits: number
  misses: number
  joins: number
}

/** Dependencies of {@link RequestCoalescer}. */
export interface RequestCoalescerOptions {
  readonly upstream: Upstream
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

/** A request that can be sent to the upstream. */
export interface Sendable {
  /** Version of the list of upstreams that the request is sent to. */
  readonly version: number | undefined
  /** @param signal - cancels the exchange */
  send(signal: CancellationSignal, completion: Completion<RpcResponse | UpstreamResponse>): void
}

/** State of a cache lookup for one call. */
interface Lookup extends CallKey {
  /** Key prefix of the chain when the call arrived. */
  readonly prefix: string
  readonly tenant: Tenant
  readonly rule: CacheRule
  readonly method: string
  readonly policy: MethodPolicy
  readonly block: BlockOfCall
  readonly sharedKey: string | undefined
  readonly request: Sendable
}

/** Caches the responses of one node and coalesces identical in-flight requests. */
export class RequestCoalescer {
  readonly #options: RequestCoalescerOptions
  readonly #keySpace: KeySpace
  readonly #inFlightRequests = new InFlightRequests()

  constructor(options: RequestCoalescerOptions) {
    this.#options = options
    this.#keySpace = new KeySpace(options.shared, options.chain)
  }

  /**
   * Responds to a call from the cache, from an identical in-flight request, or from the upstream.
   *
   * @param call - the call
   * @param destination - the resolved method
   * @param request - the same call, ready to send to the upstream
   * @param completion - receives the response, or the error of `request`
   */
  respond(
    call: CacheableCall,
    destination: CacheableMethod,
    request: Sendable,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    this.#respond(call, destination, '', request, completion)
  }

  /** As {@link respond}, for a chunk of the response to another call. The chunk may equal that call. */
  respondChunk(
    call: CacheableCall,
    destination: CacheableMethod,
    request: Sendable,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    this.#respond(call, destination, 'part ', request, completion)
  }

  /** @param variant - distinguishes chunks from full responses */
  #respond(
    call: CacheableCall,
    { method, policy, params, paramsText }: CacheableMethod,
    variant: string,
    request: Sendable,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    const { name, idempotent } = method
    const rule = policy.cache
    const { chain, cache, counts } = this.#options
    // Pending state changes without notice. A call that began before the upstreams changed may be of another chain.
    if (!rule || paramsText.includes('"pending"') || !chain.isCurrent(request.version))
      return this.#sendUncached(idempotent, call.signal, request, completion)
    const block = blockOfCall(rule.ttl, params)
    const { prefix } = chain
    const group = groupOf(variant, call, rule, name)
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
    const lookup = {
      prefix,
      group,
      params: canonical,
      organizationId: call.grant.organizationId,
      tenant: call.grant,
      rule,
      method: name,
      policy,
      block,
      sharedKey,
      request,
    }
    const inFlight = this.#joinable(lookup)
    // A forwarded call from another gateway could wait for a request that waits for this call there.
    if (inFlight && currentPassedThrough() !== undefined)
      this.#sendUncached(true, call.signal, request, completion)
    else if (inFlight) settleWith(this.#join(inFlight, lookup, call.signal), completion)
    else this.#start(lookup, call.signal, completion)
  }

  #sendUncached(
    isRepeatable: boolean,
    signal: CancellationSignal,
    request: Sendable,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    if (isRepeatable) return request.send(signal, completion)
    request.send(signal, {
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

  /**
   * Returns an identical in-flight request of the current epoch, whose response is as recent as that of a new request.
   */
  #joinable(lookup: Lookup): InFlightRequest | undefined {
    if (!this.#options.chain.isCurrent(lookup.request.version)) return undefined
    const inFlight = this.#inFlightRequests.get(lookup)
    return inFlight?.epoch === this.#options.chain.epoch ? inFlight : undefined
  }

  /** Waits for an identical in-flight request. If it fails, the call is retried once. */
  async #join(
    first: InFlightRequest,
    lookup: Lookup,
    signal: CancellationSignal,
  ): Promise<RpcResponse | UpstreamResponse> {
    let inFlight: InFlightRequest | undefined = first
    for (let attempt = 0; inFlight; attempt += 1) {
      this.#options.counts.joins += 1
      currentTrace()?.setAttributes({ 'fairlead.cache': 'coalesced' })
      const outcome = await inFlight.wait(inFlight.join(), signal)
      if (outcome.kind === 'response') return outcome.response
      // resend: large coalesced response
      if (outcome.kind === 'large') return promised((completion) => lookup.request.send(signal, completion))
      const isAborted = outcome.failure instanceof UpstreamError && outcome.failure.kind === 'aborted'
      if (isFinalFailure(outcome.failure) || (attempt > 0 && !isAborted)) throw outcome.failure
      inFlight = this.#joinable(lookup)
    }
    // resend: failed coalesced call
    return promised((completion) => this.#start(lookup, signal, completion))
  }

  #start(
    lookup: Lookup,
    signal: CancellationSignal,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    // No call of the current upstreams may join it.
    if (!this.#options.chain.isCurrent(lookup.request.version)) return lookup.request.send(signal, completion)
    // A short call is cheaper to repeat than to detach from the first caller's cancellation.
    const isShort = lookup.policy.latencyClass === 'short'
    const inFlight = new InFlightRequest({
      epoch: this.#options.chain.epoch,
      tenant: lookup.tenant,
      signal: isShort ? signal : undefined,
      budget: this.#options.budget,
    })
    this.#inFlightRequests.set(lookup, inFlight)
    if (isShort) this.#execute(lookup, inFlight, completion)
    else settleWith(this.#startDetached(lookup, inFlight, signal), completion)
  }

  async #startDetached(
    lookup: Lookup,
    inFlight: InFlightRequest,
    signal: CancellationSignal,
  ): Promise<RpcResponse | UpstreamResponse> {
    const responsePromise = promised<RpcResponse | UpstreamResponse>((completion) =>
      this.#execute(lookup, inFlight, completion),
    )
    try {
      const response = await inFlight.wait(responsePromise, signal)
      if (response instanceof UpstreamResponse && !response.isBuffered) inFlight.cancelWith(signal, response)
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

  #execute(
    lookup: Lookup,
    inFlight: InFlightRequest,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    if (lookup.sharedKey === undefined) this.#send(lookup, inFlight, completion)
    else settleWith(this.#executeWithStore(lookup, lookup.sharedKey, inFlight), completion)
  }

  async #executeWithStore(
    lookup: Lookup,
    sharedKey: string,
    inFlight: InFlightRequest,
  ): Promise<RpcResponse | UpstreamResponse> {
    const shared = await this.#options.shared.get(sharedKey)
    if (shared === undefined) return promised((completion) => this.#send(lookup, inFlight, completion))
    const rpcResponse = { result: shared }
    this.#store({ ...lookup, sharedKey: undefined }, shared, this.#validityOf(lookup))
    this.#settle(lookup, inFlight, { kind: 'response', response: rpcResponse })
    return rpcResponse
  }

  #send(
    lookup: Lookup,
    inFlight: InFlightRequest,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    const until = this.#validityOf(lookup)
    const fail = (failure: unknown) => {
      this.#settle(lookup, inFlight, { kind: 'failed', failure })
      completion.reject(failure)
    }
    const settle = (response: RpcResponse | UpstreamResponse, rpcResponse: RpcResponse | undefined) => {
      this.#settle(
        lookup,
        inFlight,
        rpcResponse ? { kind: 'response', response: rpcResponse } : { kind: 'large' },
      )
      if (!rpcResponse) return completion.resolve(response)
      // A buffered response has not been consumed.
      const isUnread = response instanceof UpstreamResponse && response.isBuffered && inFlight.joined === 0
      completion.resolve(isUnread ? response : rpcResponse)
    }
    lookup.request.send(inFlight.signal, {
      resolve: (response) => {
        // Most responses are for a single caller and are not cached.
        if (response instanceof UpstreamResponse && until === undefined && inFlight.joined === 0)
          settle(response, undefined)
        else
          this.#unwrap(response, lookup, until, inFlight.signal).then(
            (rpcResponse) => settle(response, rpcResponse),
            fail,
          )
      },
      reject: fail,
    })
  }

  #settle(lookup: Lookup, inFlight: InFlightRequest, outcome: RequestOutcome): void {
    this.#inFlightRequests.delete(lookup, inFlight)
    inFlight.settle(outcome)
  }

  /**
   * Returns the response without its envelope if it is short enough, and caches it for as long as allowed. Returns
   * undefined otherwise.
   */
  async #unwrap(
    response: RpcResponse | UpstreamResponse,
    lookup: Lookup,
    until: Validity | undefined,
    signal: CancellationSignal,
  ): Promise<RpcResponse | undefined> {
    const rpcResponse =
      response instanceof UpstreamResponse ? await this.#readShort(response, lookup.method, signal) : response
    if (rpcResponse && 'result' in rpcResponse) this.#store(lookup, rpcResponse.result, until)
    return rpcResponse
  }

  async #readShort(
    response: UpstreamResponse,
    method: string,
    signal: CancellationSignal,
  ): Promise<RpcResponse | undefined> {
    const reservation = this.#options.upstream.reserve()
    const length = Math.min(response.length ?? maxCachedBytes, maxCachedBytes)
    try {
      if (!reservation.canReserve(length)) return undefined
      reservation.take(length)
      return await response.readShort(method, maxCachedBytes, signal)
    } finally {
      reservation.release()
    }
  }

  /** Returns until when the response to a new request may be cached. Undefined when it may not be cached. */
  #validityOf({ rule, block }: Lookup): Validity | undefined {
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
    { prefix, group, params, block, sharedKey, request }: Lookup,
    result: string,
    until: Validity | undefined,
  ): void {
    const { chain, cache, shared } = this.#options
    // Only responses of the current upstreams are cached. They may be of another chain than those before them.
    if (!chain.isCurrent(request.version)) return
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
  { endpoint, maxLogRange = 0 }: CacheableCall,
  { ttl }: CacheRule,
  name: string,
): string {
  // A range that is too long for one caller may be allowed for another.
  const limit = ttl.kind === 'logs' ? ` ${maxLogRange}` : ''
  return variant === '' && endpoint === '' && limit === '' ? name : `${variant}${endpoint} ${name}${limit}`
}
