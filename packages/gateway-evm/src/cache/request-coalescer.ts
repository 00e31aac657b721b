import { performance } from 'node:perf_hooks'
import type { Method } from '@fairlead/core'
import type { CancellationSignal } from '@fairlead/http1'
import { currentPassedThrough } from '@fairlead/gateway-core/network/cdn-loop'
import { currentTrace } from '@fairlead/gateway-core/telemetry/current-trace'
import { type Completion, promised, settleWith } from '@fairlead/gateway-core/completion'
import { latencyClass } from '../methods/latency-class.ts'
import { toRpcResponse } from '../upstream/read-response.ts'
import type { RpcResponse } from '../rpc-response.ts'
import { isBuffered, isUpstreamResponse, type UpstreamResponse } from '../upstream/upstream-response.ts'
import type { Upstream } from '../upstream/types.ts'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { type BlockOfCall, blockOfCall, toldNumber } from './block-of-call.ts'
import { type CacheRule, cacheRuleOf } from './ttl-policy.ts'
import { canonicalParams } from './cache-key.ts'
import { InFlightRequest, isAnswer, type RequestOutcome } from './in-flight-request.ts'
import { type CallKey, InFlightRequests } from './in-flight-requests.ts'
import { type MemoryCache, type KeptUntil, maxKeptBytes } from './memory-cache.ts'
import type { ChainIdentity } from './chain-identity.ts'
import { readUpTo } from './read-up-to.ts'
import { type SharedCache, KeySpace } from './shared-cache.ts'

/** The parts of a call on which its response depends. */
export interface CacheableCall {
  readonly endpoint: '' | 'evm'
  /** Maximum number of blocks in a log query. 0 or undefined = unlimited. */
  readonly maxLogRange?: number | undefined
  /** Aborts when the client disconnects or the timeout expires. */
  readonly signal: CancellationSignal
}

/** The method and params to send. */
export interface CacheableMethod {
  readonly method: Method
  readonly params: readonly unknown[]
  /** The params as JSON. */
  readonly paramsText: string
}

/** Counters of lookup outcomes, shared by all nodes. */
export interface AnswerCounts {
  hits: number
  misses: number
  joins: number
}

/** Dependencies of {@link RequestCoalescer}. */
export interface RequestCoalescerParts {
  readonly upstream: Upstream
  readonly chain: ChainIdentity
  readonly kept: MemoryCache
  readonly shared: SharedCache
  readonly counts: AnswerCounts
  /**
   * How long a response about the latest block may be cached while that block is the latest, in milliseconds. 0
   * disables this.
   */
  readonly headMs: () => number
}

/** A request that can be sent to the upstream. */
export interface Sendable {
  /** @param signal - cancels the exchange */
  send(signal: CancellationSignal, completion: Completion<RpcResponse | UpstreamResponse>): void
}

/** State of a cache lookup for one call. */
interface Lookup extends CallKey {
  /** Key prefix of the chain when the call arrived. */
  readonly prefix: string
  readonly rule: CacheRule
  readonly method: string
  readonly block: BlockOfCall
  readonly sharedKey: string | undefined
  readonly request: Sendable
}

/** Caches the responses of one node and coalesces identical in-flight requests. */
export class RequestCoalescer {
  readonly #parts: RequestCoalescerParts
  readonly #place: KeySpace
  readonly #inFlightRequests = new InFlightRequests()

  constructor(parts: RequestCoalescerParts) {
    this.#parts = parts
    this.#place = new KeySpace(parts.shared, parts.chain)
  }

  /**
   * Responds to a call from the cache, from an identical in-flight request, or from the upstream.
   *
   * @param call - the call
   * @param destination - the resolved method
   * @param request - the same call, ready to send to the upstream
   * @param completion - receives the response, or the error of `request`
   */
  answer(
    call: CacheableCall,
    destination: CacheableMethod,
    request: Sendable,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    this.#answer(call, destination, '', request, completion)
  }

  /** As {@link answer}, for a chunk of the response to another call. The chunk may equal that call. */
  part(
    call: CacheableCall,
    destination: CacheableMethod,
    request: Sendable,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    this.#answer(call, destination, 'part ', request, completion)
  }

  /** @param mark - distinguishes chunks from full responses */
  #answer(
    call: CacheableCall,
    { method, params, paramsText }: CacheableMethod,
    mark: string,
    request: Sendable,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    const { name, idempotent } = method
    const rule = cacheRuleOf(name)
    // Pending state changes without notice.
    if (!rule || paramsText.includes('"pending"'))
      return this.#alone(idempotent, call.signal, request, completion)
    const { chain, kept, counts } = this.#parts
    const block = blockOfCall(rule.lifetime, params)
    const { prefix } = chain
    const group = groupOf(mark, call, rule, name)
    const asked = canonicalParams(paramsText)
    if (kept.isOn && chain.isLasting) {
      const found = kept.get(`${prefix}${group} ${asked}`, chain.headMark)
      if (found !== undefined) {
        counts.hits += 1
        currentTrace()?.note({ 'fairlead.cache': 'hit' })
        return completion.resolve({ result: found })
      }
      counts.misses += 1
      currentTrace()?.note({ 'fairlead.cache': 'miss' })
    }
    const isShared = rule.isShared && (block.kind === 'told' || this.#isFinal(block, rule))
    const place = isShared ? this.#place.prefix : undefined
    const sharedKey = place === undefined ? undefined : `${place}${group} ${asked}`
    const lookup = { prefix, group, params: asked, rule, method: name, block, sharedKey, request }
    const inFlight = this.#flightOf(lookup)
    // A forwarded call from another gateway could wait for a request that waits for this call there.
    if (inFlight && currentPassedThrough() !== undefined) this.#alone(true, call.signal, request, completion)
    else if (inFlight) settleWith(this.#join(inFlight, lookup, call.signal), completion)
    else this.#lead(lookup, call.signal, completion)
  }

  #alone(
    isRepeatable: boolean,
    signal: CancellationSignal,
    request: Sendable,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    if (isRepeatable) return request.send(signal, completion)
    request.send(signal, {
      resolve: (asked) => {
        this.#parts.chain.changed()
        completion.resolve(asked)
      },
      reject: (error) => {
        this.#parts.chain.changed()
        completion.reject(error)
      },
    })
  }

  /**
   * Returns an identical in-flight request of the current epoch, whose response is as recent as that of a new request.
   */
  #flightOf(lookup: Lookup): InFlightRequest | undefined {
    const inFlight = this.#inFlightRequests.get(lookup)
    return inFlight?.epoch === this.#parts.chain.epoch ? inFlight : undefined
  }

  /** Waits for an identical in-flight request. If it fails, the call is retried once. */
  async #join(
    first: InFlightRequest,
    lookup: Lookup,
    signal: CancellationSignal,
  ): Promise<RpcResponse | UpstreamResponse> {
    let inFlight: InFlightRequest | undefined = first
    for (let attempt = 0; inFlight; attempt += 1) {
      this.#parts.counts.joins += 1
      currentTrace()?.note({ 'fairlead.cache': 'join' })
      inFlight.waiters += 1
      const landing = await inFlight.wait(inFlight.landing, signal)
      if (landing.kind === 'answered') return landing.plain
      if (landing.kind === 'long') return promised((completion) => lookup.request.send(signal, completion))
      const isOther = landing.failure instanceof UpstreamError && landing.failure.kind === 'aborted'
      if (isAnswer(landing.failure) || (attempt > 0 && !isOther)) throw landing.failure
      inFlight = this.#flightOf(lookup)
    }
    return promised((completion) => this.#lead(lookup, signal, completion))
  }

  #lead(
    lookup: Lookup,
    signal: CancellationSignal,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    // A short call is cheaper to repeat than to detach from the first caller's cancellation.
    const isQuick = latencyClass(lookup.method) === 'quick'
    const inFlight = new InFlightRequest(this.#parts.chain.epoch, isQuick ? signal : undefined)
    this.#inFlightRequests.set(lookup, inFlight)
    if (isQuick) this.#fly(lookup, inFlight, completion)
    else settleWith(this.#leadLong(lookup, inFlight, signal), completion)
  }

  async #leadLong(
    lookup: Lookup,
    inFlight: InFlightRequest,
    signal: CancellationSignal,
  ): Promise<RpcResponse | UpstreamResponse> {
    const flown = promised<RpcResponse | UpstreamResponse>((completion) =>
      this.#fly(lookup, inFlight, completion),
    )
    try {
      const asked = await inFlight.wait(flown, signal)
      if (isUpstreamResponse(asked) && !isBuffered(asked)) inFlight.endWith(signal, asked)
      return asked
    } catch (error) {
      // No caller is left to read the response.
      flown.then(
        (asked) => isUpstreamResponse(asked) && asked.body.destroy(),
        () => undefined,
      )
      throw error
    }
  }

  #fly(
    lookup: Lookup,
    inFlight: InFlightRequest,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    if (lookup.sharedKey === undefined) this.#askFor(lookup, inFlight, completion)
    else settleWith(this.#flyByStore(lookup, lookup.sharedKey, inFlight), completion)
  }

  async #flyByStore(
    lookup: Lookup,
    sharedKey: string,
    inFlight: InFlightRequest,
  ): Promise<RpcResponse | UpstreamResponse> {
    const shared = await this.#parts.shared.get(sharedKey)
    if (shared === undefined) return promised((completion) => this.#askFor(lookup, inFlight, completion))
    const plain = { result: shared }
    this.#keep({ ...lookup, sharedKey: undefined }, shared, this.#untilWhen(lookup))
    this.#land(lookup, inFlight, { kind: 'answered', plain })
    return plain
  }

  #askFor(
    lookup: Lookup,
    inFlight: InFlightRequest,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    const until = this.#untilWhen(lookup)
    const fail = (failure: unknown) => {
      this.#land(lookup, inFlight, { kind: 'failed', failure })
      completion.reject(failure)
    }
    const land = (asked: RpcResponse | UpstreamResponse, plain: RpcResponse | undefined) => {
      this.#land(lookup, inFlight, plain ? { kind: 'answered', plain } : { kind: 'long' })
      if (!plain) return completion.resolve(asked)
      // A buffered response has not been consumed.
      const isUnread = isUpstreamResponse(asked) && isBuffered(asked) && inFlight.waiters === 0
      completion.resolve(isUnread ? asked : plain)
    }
    lookup.request.send(inFlight.signal, {
      resolve: (asked) => {
        // Most responses are for a single caller and are not cached.
        if (isUpstreamResponse(asked) && until === undefined && inFlight.waiters === 0) land(asked, undefined)
        else this.#plain(asked, lookup, until).then((plain) => land(asked, plain), fail)
      },
      reject: fail,
    })
  }

  #land(lookup: Lookup, inFlight: InFlightRequest, landing: RequestOutcome): void {
    this.#inFlightRequests.delete(lookup, inFlight)
    inFlight.settle(landing)
  }

  /**
   * Returns the response without its envelope if it is short enough, and caches it for as long as allowed. Returns
   * undefined otherwise.
   */
  async #plain(
    asked: RpcResponse | UpstreamResponse,
    lookup: Lookup,
    until: Until | undefined,
  ): Promise<RpcResponse | undefined> {
    const plain = isUpstreamResponse(asked) ? await this.#opened(asked, lookup.method) : asked
    if (plain && 'result' in plain) this.#keep(lookup, plain.result, until)
    return plain
  }

  async #opened(answer: UpstreamResponse, method: string): Promise<RpcResponse | undefined> {
    const reservation = this.#parts.upstream.reserve()
    const length = Math.min(Number(answer.contentLength ?? maxKeptBytes), maxKeptBytes)
    try {
      if (!reservation.canReserve(length)) return undefined
      reservation.take(length)
      const bytes = await readUpTo(answer, maxKeptBytes)
      return bytes && toRpcResponse(bytes.toString('utf8'), method, answer.secrets)
    } finally {
      reservation.release()
    }
  }

  /** Returns until when the response to a new request may be cached. Undefined when it may not be cached. */
  #untilWhen({ rule, block }: Lookup): Until | undefined {
    const { chain, kept } = this.#parts
    if (!kept.isOn || !chain.isLasting) return undefined
    if (rule.lifetime.kind === 'params') return {}
    if (rule.lifetime.kind === 'chain') return { until: performance.now() + rule.lifetime.ms }
    if (block.kind === 'told')
      return chain.finalized === undefined ? undefined : { finalized: chain.finalized }
    if (block.kind === 'number') return this.#isFinal(block, rule) ? { number: block.number } : undefined
    const { headMark } = chain
    const headMs = this.#parts.headMs()
    if (block.kind === 'unknown' || headMs === 0 || headMark === undefined) return undefined
    return { until: performance.now() + headMs, head: headMark }
  }

  #isFinal(block: BlockOfCall, { lifetime }: CacheRule): boolean {
    const { chain } = this.#parts
    const last = lifetime.kind === 'logs' ? chain.surelyFinalized : chain.finalized
    return block.kind === 'number' && last !== undefined && block.number <= last
  }

  #keep({ prefix, group, params, block, sharedKey }: Lookup, result: string, until: Until | undefined): void {
    const { chain, kept, shared } = this.#parts
    // Null may mean that the upstream does not have the object yet. Entries under the key prefix of a replaced chain
    // are never found.
    if (!until || result === 'null' || prefix !== chain.prefix || result.length > maxKeptBytes) return
    const number = block.kind === 'told' ? toldNumber(result, block.member) : until.number
    if (block.kind === 'told' && !(number !== undefined && number <= (until.finalized ?? -1))) return
    if (until.head !== undefined && until.head !== chain.headMark) return
    if (result === '[]' && !((number ?? 0) <= (chain.surelyFinalized ?? -1))) return
    if (number !== undefined) chain.kept(number)
    kept.set(`${prefix}${group} ${params}`, result, { until: until.until, head: until.head })
    if (sharedKey !== undefined) shared.set(sharedKey, result)
  }
}

/** Until when a response may be cached, as determined before the request is sent. */
interface Until extends KeptUntil {
  /** Number of the block that the response belongs to. */
  readonly number?: number
  /** Number of the highest block that the response may name as its own. */
  readonly finalized?: number
}

function groupOf(
  mark: string,
  { endpoint, maxLogRange = 0 }: CacheableCall,
  { lifetime }: CacheRule,
  name: string,
): string {
  // A range that is too long for one caller may be allowed for another.
  const limit = lifetime.kind === 'logs' ? ` ${maxLogRange}` : ''
  return mark === '' && endpoint === '' && limit === '' ? name : `${mark}${endpoint} ${name}${limit}`
}
