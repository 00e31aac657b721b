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

/** A call, as far as its answer depends on it. */
export interface CacheableCall {
  readonly endpoint: '' | 'evm'
  /** Most blocks that a query for logs may span; any number when it is 0 or left out. */
  readonly maxLogRange?: number | undefined
  /** Ends when the client goes away or the time is up. */
  readonly signal: CancellationSignal
}

/** The method that the call is sent with. */
export interface CacheableMethod {
  readonly method: Method
  readonly params: readonly unknown[]
  /** The same as JSON. */
  readonly paramsText: string
}

/** What counts the fate of calls, for all nodes together. */
export interface AnswerCounts {
  hits: number
  misses: number
  joins: number
}

/** What the answers of one node are kept with. */
export interface RequestCoalescerParts {
  readonly upstream: Upstream
  readonly chain: ChainIdentity
  readonly kept: MemoryCache
  readonly shared: SharedCache
  readonly counts: AnswerCounts
  /** How long an answer about the newest block may be kept while that is the newest; 0 keeps none. */
  readonly headMs: () => number
}

/** Something that can be sent to the node. */
export interface Sendable {
  /** @param signal - ends the exchange */
  send(signal: CancellationSignal, completion: Completion<RpcResponse | UpstreamResponse>): void
}

/** A call on its way through the kept answers. */
interface Lookup extends CallKey {
  /** What the keys of the chain began with when the call came. */
  readonly prefix: string
  readonly rule: CacheRule
  readonly method: string
  readonly block: BlockOfCall
  readonly sharedKey: string | undefined
  readonly request: Sendable
}

/** The answers of one node: those that are kept, and those that are under way. */
export class RequestCoalescer {
  readonly #parts: RequestCoalescerParts
  readonly #place: KeySpace
  readonly #inFlightRequests = new InFlightRequests()

  constructor(parts: RequestCoalescerParts) {
    this.#parts = parts
    this.#place = new KeySpace(parts.shared, parts.chain)
  }

  /**
   * Has a call answered: by an answer that is kept, with others that make the same call, or by the node.
   *
   * @param call - the call
   * @param destination - what the router found
   * @param request - the same, ready for the node
   * @param completion - hears the answer, or what `request` fails with
   */
  answer(
    call: CacheableCall,
    destination: CacheableMethod,
    request: Sendable,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    this.#answer(call, destination, '', request, completion)
  }

  /** As {@link answer} for a part of the answer to another call, which may be the very same one. */
  part(
    call: CacheableCall,
    destination: CacheableMethod,
    request: Sendable,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    this.#answer(call, destination, 'part ', request, completion)
  }

  /** @param mark - tells parts from whole answers */
  #answer(
    call: CacheableCall,
    { method, params, paramsText }: CacheableMethod,
    mark: string,
    request: Sendable,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ): void {
    const { name, idempotent } = method
    const rule = cacheRuleOf(name)
    // What waits to be in a block changes without notice.
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
    // A call that came from another service could wait for one that waits for it there.
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

  /** The same call of somebody else that is under way, and whose answer is as new as one that is asked for now. */
  #flightOf(lookup: Lookup): InFlightRequest | undefined {
    const inFlight = this.#inFlightRequests.get(lookup)
    return inFlight?.epoch === this.#parts.chain.epoch ? inFlight : undefined
  }

  /** Waits for the same call of somebody else; a failure of his is tried again once. */
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
    // A quick call costs less to ask again than to keep from ending with the one who asked first.
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
      // Nobody is there any more to read what may still come.
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
      // Nothing was read of an answer that came whole.
      const isUnread = isUpstreamResponse(asked) && isBuffered(asked) && inFlight.waiters === 0
      completion.resolve(isUnread ? asked : plain)
    }
    lookup.request.send(inFlight.signal, {
      resolve: (asked) => {
        // Most answers are for one alone, and not to be kept.
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

  /** The answer without its envelope, if it is short; kept as long as it may be. */
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

  /** Until when an answer that is asked for now may be kept; undefined when it may not. */
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
    // Null may only mean that the node has not got it yet; the key of a chain that has changed is found no more.
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

/** Until when an answer may be kept, as it was known before the node was asked. */
interface Until extends KeptUntil {
  /** The block that it belongs to. */
  readonly number?: number
  /** The newest block that it may tell as its own. */
  readonly finalized?: number
}

function groupOf(
  mark: string,
  { endpoint, maxLogRange = 0 }: CacheableCall,
  { lifetime }: CacheRule,
  name: string,
): string {
  // A range that is too long for one caller may not be for another.
  const limit = lifetime.kind === 'logs' ? ` ${maxLogRange}` : ''
  return mark === '' && endpoint === '' && limit === '' ? name : `${mark}${endpoint} ${name}${limit}`
}
