import { performance } from 'node:perf_hooks'
import type { Method } from '@fairlead/core'
import type { CancellationSignal } from '@fairlead/http1'
import { currentPassedThrough } from '@fairlead/gateway-core/network/cdn-loop'
import { currentTrace } from '@fairlead/gateway-core/telemetry/current-trace'
import { type Awaiter, promised, tell } from '@fairlead/gateway-core/completion'
import { paceOf } from '../methods/latency-class.ts'
import type { Asked } from '../dispatch/asked.ts'
import { plainAnswer, type PlainAnswer } from '../dispatch/read-response.ts'
import { isAtHand, type UpstreamAnswer } from '../upstream/upstream-response.ts'
import type { Upstream } from '../upstream/types.ts'
import { UpstreamFailure } from '@fairlead/gateway-core/upstream/upstream-error'
import { type BlockOfCall, blockOfCall, toldNumber } from './block-of-call.ts'
import { type CacheRule, cacheRuleOf } from './ttl-policy.ts'
import { canonicalParams } from './cache-key.ts'
import { Flight, isAnswer, type Landing } from './in-flight-request.ts'
import { type CallKey, Flights } from './in-flight-requests.ts'
import { type KeptAnswers, type KeptUntil, maxKeptBytes } from './memory-cache.ts'
import type { KnownChain } from './chain-identity.ts'
import { readUpTo } from './read-up-to.ts'
import { type SharedAnswers, SharedPlace } from './shared-cache.ts'

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
export interface NodeAnswersParts {
  readonly upstream: Upstream
  readonly chain: KnownChain
  readonly kept: KeptAnswers
  readonly shared: SharedAnswers
  readonly counts: AnswerCounts
  /** How long an answer about the newest block may be kept while that is the newest; 0 keeps none. */
  readonly headMs: () => number
}

/** Asks the node; the signal ends the exchange. */
export type Ask = (signal: CancellationSignal, awaiter: Awaiter<Asked>) => void

/** A call on its way through the kept answers. */
interface Sought extends CallKey {
  /** What the keys of the chain began with when the call came. */
  readonly prefix: string
  readonly rule: CacheRule
  readonly method: string
  readonly block: BlockOfCall
  readonly sharedKey: string | undefined
  readonly ask: Ask
}

/** The answers of one node: those that are kept, and those that are under way. */
export class NodeAnswers {
  readonly #parts: NodeAnswersParts
  readonly #place: SharedPlace
  readonly #flights = new Flights()

  constructor(parts: NodeAnswersParts) {
    this.#parts = parts
    this.#place = new SharedPlace(parts.shared, parts.chain)
  }

  /**
   * Has a call answered: by an answer that is kept, with others that make the same call, or by the node.
   *
   * @param call - the call
   * @param destination - what the router found
   * @param ask - asks the node
   * @param awaiter - hears the answer, or what `ask` fails with
   */
  answer(call: CacheableCall, destination: CacheableMethod, ask: Ask, awaiter: Awaiter<Asked>): void {
    this.#answer(call, destination, '', ask, awaiter)
  }

  /** As {@link answer} for a part of the answer to another call, which may be the very same one. */
  part(call: CacheableCall, destination: CacheableMethod, ask: Ask, awaiter: Awaiter<Asked>): void {
    this.#answer(call, destination, 'part ', ask, awaiter)
  }

  /** @param mark - tells parts from whole answers */
  #answer(
    call: CacheableCall,
    { method, params, paramsText }: CacheableMethod,
    mark: string,
    ask: Ask,
    awaiter: Awaiter<Asked>,
  ): void {
    const { name, idempotent } = method
    const rule = cacheRuleOf(name)
    // What waits to be in a block changes without notice.
    if (!rule || paramsText.includes('"pending"')) return this.#alone(idempotent, call.signal, ask, awaiter)
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
        return awaiter.resolve({ result: found })
      }
      counts.misses += 1
      currentTrace()?.note({ 'fairlead.cache': 'miss' })
    }
    const isShared = rule.isShared && (block.kind === 'told' || this.#isFinal(block, rule))
    const place = isShared ? this.#place.prefix : undefined
    const sharedKey = place === undefined ? undefined : `${place}${group} ${asked}`
    const sought = { prefix, group, params: asked, rule, method: name, block, sharedKey, ask }
    const flight = this.#flightOf(sought)
    // A call that came from another service could wait for one that waits for it there.
    if (flight && currentPassedThrough() !== undefined) this.#alone(true, call.signal, ask, awaiter)
    else if (flight) tell(this.#join(flight, sought, call.signal), awaiter)
    else this.#lead(sought, call.signal, awaiter)
  }

  #alone(isRepeatable: boolean, signal: CancellationSignal, ask: Ask, awaiter: Awaiter<Asked>): void {
    if (isRepeatable) return ask(signal, awaiter)
    ask(signal, {
      resolve: (asked) => {
        this.#parts.chain.changed()
        awaiter.resolve(asked)
      },
      reject: (error) => {
        this.#parts.chain.changed()
        awaiter.reject(error)
      },
    })
  }

  /** The same call of somebody else that is under way, and whose answer is as new as one that is asked for now. */
  #flightOf(sought: Sought): Flight | undefined {
    const flight = this.#flights.get(sought)
    return flight?.epoch === this.#parts.chain.epoch ? flight : undefined
  }

  /** Waits for the same call of somebody else; a failure of his is tried again once. */
  async #join(first: Flight, sought: Sought, signal: CancellationSignal): Promise<Asked> {
    let flight: Flight | undefined = first
    for (let attempt = 0; flight; attempt += 1) {
      this.#parts.counts.joins += 1
      currentTrace()?.note({ 'fairlead.cache': 'join' })
      flight.followers += 1
      const landing = await flight.wait(flight.landing, signal)
      if (landing.kind === 'answered') return landing.plain
      if (landing.kind === 'long') return promised((awaiter) => sought.ask(signal, awaiter))
      const isOther = landing.failure instanceof UpstreamFailure && landing.failure.kind === 'aborted'
      if (isAnswer(landing.failure) || (attempt > 0 && !isOther)) throw landing.failure
      flight = this.#flightOf(sought)
    }
    return promised((awaiter) => this.#lead(sought, signal, awaiter))
  }

  #lead(sought: Sought, signal: CancellationSignal, awaiter: Awaiter<Asked>): void {
    // A quick call costs less to ask again than to keep from ending with the one who asked first.
    const isQuick = paceOf(sought.method) === 'quick'
    const flight = new Flight(this.#parts.chain.epoch, isQuick ? signal : undefined)
    this.#flights.set(sought, flight)
    if (isQuick) this.#fly(sought, flight, awaiter)
    else tell(this.#leadLong(sought, flight, signal), awaiter)
  }

  async #leadLong(sought: Sought, flight: Flight, signal: CancellationSignal): Promise<Asked> {
    const flown = promised<Asked>((awaiter) => this.#fly(sought, flight, awaiter))
    try {
      const asked = await flight.wait(flown, signal)
      if ('answer' in asked && !isAtHand(asked.answer)) flight.endWith(signal, asked.answer)
      return asked
    } catch (error) {
      // Nobody is there any more to read what may still come.
      flown.then(
        (asked) => 'answer' in asked && asked.answer.body.destroy(),
        () => undefined,
      )
      throw error
    }
  }

  #fly(sought: Sought, flight: Flight, awaiter: Awaiter<Asked>): void {
    if (sought.sharedKey === undefined) this.#askFor(sought, flight, awaiter)
    else tell(this.#flyByStore(sought, sought.sharedKey, flight), awaiter)
  }

  async #flyByStore(sought: Sought, sharedKey: string, flight: Flight): Promise<Asked> {
    const shared = await this.#parts.shared.get(sharedKey)
    if (shared === undefined) return promised((awaiter) => this.#askFor(sought, flight, awaiter))
    const plain = { result: shared }
    this.#keep({ ...sought, sharedKey: undefined }, shared, this.#untilWhen(sought))
    this.#land(sought, flight, { kind: 'answered', plain })
    return plain
  }

  #askFor(sought: Sought, flight: Flight, awaiter: Awaiter<Asked>): void {
    const until = this.#untilWhen(sought)
    const fail = (failure: unknown) => {
      this.#land(sought, flight, { kind: 'failed', failure })
      awaiter.reject(failure)
    }
    const land = (asked: Asked, plain: PlainAnswer | undefined) => {
      this.#land(sought, flight, plain ? { kind: 'answered', plain } : { kind: 'long' })
      if (!plain) return awaiter.resolve(asked)
      // Nothing was read of an answer that came whole.
      const isUnread = 'answer' in asked && isAtHand(asked.answer) && flight.followers === 0
      awaiter.resolve(isUnread ? asked : plain)
    }
    sought.ask(flight.signal, {
      resolve: (asked) => {
        // Most answers are for one alone, and not to be kept.
        if ('answer' in asked && until === undefined && flight.followers === 0) land(asked, undefined)
        else this.#plain(asked, sought, until).then((plain) => land(asked, plain), fail)
      },
      reject: fail,
    })
  }

  #land(sought: Sought, flight: Flight, landing: Landing): void {
    this.#flights.delete(sought, flight)
    flight.land(landing)
  }

  /** The answer without its envelope, if it is short; kept as long as it may be. */
  async #plain(asked: Asked, sought: Sought, until: Until | undefined): Promise<PlainAnswer | undefined> {
    const plain = 'answer' in asked ? await this.#opened(asked.answer, sought.method) : asked
    if (plain && 'result' in plain) this.#keep(sought, plain.result, until)
    return plain
  }

  async #opened(answer: UpstreamAnswer, method: string): Promise<PlainAnswer | undefined> {
    const room = this.#parts.upstream.room()
    const length = Math.min(Number(answer.contentLength ?? maxKeptBytes), maxKeptBytes)
    try {
      if (!room.offers(length)) return undefined
      room.take(length)
      const bytes = await readUpTo(answer, maxKeptBytes)
      return bytes && plainAnswer(bytes.toString('utf8'), method, answer.secrets)
    } finally {
      room.empty()
    }
  }

  /** Until when an answer that is asked for now may be kept; undefined when it may not. */
  #untilWhen({ rule, block }: Sought): Until | undefined {
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

  #keep({ prefix, group, params, block, sharedKey }: Sought, result: string, until: Until | undefined): void {
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
