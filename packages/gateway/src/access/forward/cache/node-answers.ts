import { currentTrace } from '../../../observe/tracing/current-trace.ts'
import type { Call } from '../../call.ts'
import type { Destination } from '../../route/route-method.ts'
import { paceOf } from '../call-pace.ts'
import type { Asked } from '../asked.ts'
import { plainAnswer, type PlainAnswer } from '../read-answer.ts'
import type { Upstream } from '../upstream.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { type BlockOfCall, blockNumberOf, blockOfCall } from './block-of-call.ts'
import { type CacheRule, cacheRuleOf } from './cache-rules.ts'
import { canonicalParams } from './call-key.ts'
import { Flight, isAnswer, type Landing } from './flight.ts'
import { type KeptAnswers, type KeptUntil, maxKeptBytes } from './kept-answers.ts'
import type { KnownChain } from './known-chain.ts'
import { readUpTo } from './read-up-to.ts'
import { type SharedAnswers, SharedPlace } from './shared-answers.ts'

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
  readonly headMs: number
}

/** Asks the node; the signal ends the exchange. */
type Ask = (signal: AbortSignal) => Promise<Asked>

/** What is asked. */
interface Question extends Pick<Destination, 'method' | 'params' | 'paramsText'> {
  /** Tells parts from whole answers. */
  readonly mark: string
}

/** A call on its way through the kept answers. */
interface Sought {
  readonly key: string
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
  readonly #flights = new Map<string, Flight>()

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
   * @throws {@link RpcFailure} as `ask`
   */
  answer(call: Call, { method, params, paramsText }: Destination, ask: Ask): Promise<Asked> {
    return this.#answer(call, { method, params, paramsText, mark: '' }, ask)
  }

  async #answer(call: Call, { method, params, paramsText, mark }: Question, ask: Ask): Promise<Asked> {
    const { name, idempotent } = method
    const rule = cacheRuleOf(name)
    // What waits to be in a block changes without notice.
    if (!rule || paramsText.includes('"pending"')) return this.#alone(idempotent, call.signal, ask)
    const { chain, kept, counts } = this.#parts
    const block = blockOfCall(rule.lifetime, params)
    const named = `${mark}${call.endpoint} ${name} ${limitOf(rule, call)}${canonicalParams(paramsText)}`
    if (kept.isOn && chain.isLasting) {
      const found = kept.get(chain.prefix + named, chain.headMark)
      if (found !== undefined) {
        counts.hits += 1
        currentTrace()?.note({ 'fairlead.cache': 'hit' })
        return { result: found }
      }
      counts.misses += 1
      currentTrace()?.note({ 'fairlead.cache': 'miss' })
    }
    const isShared = rule.isShared && (block.kind === 'told' || this.#isFinal(block, rule))
    const place = isShared ? this.#place.prefix : undefined
    const sharedKey = place === undefined ? undefined : place + named
    const sought = { key: chain.prefix + named, rule, method: name, block, sharedKey, ask }
    return this.#join(sought, call.signal)
  }

  /** As {@link answer} for a part of the answer to another call, which may be the very same one. */
  part(call: Call, { method, params, paramsText }: Destination, ask: Ask): Promise<Asked> {
    return this.#answer(call, { method, params, paramsText, mark: 'part ' }, ask)
  }

  async #alone(isRepeatable: boolean, signal: AbortSignal, ask: Ask): Promise<Asked> {
    try {
      return await ask(signal)
    } finally {
      if (!isRepeatable) this.#parts.chain.changed()
    }
  }

  /** Waits for the same call of somebody else, if one is under way; a failure of his is tried again once. */
  async #join(sought: Sought, signal: AbortSignal): Promise<Asked> {
    for (let attempt = 0; ; attempt += 1) {
      const flight = this.#flights.get(sought.key)
      if (!flight || flight.epoch !== this.#parts.chain.epoch) return this.#lead(sought, signal)
      this.#parts.counts.joins += 1
      currentTrace()?.note({ 'fairlead.cache': 'join' })
      flight.followers += 1
      const landing = await flight.wait(flight.landing, signal)
      if (landing.kind === 'answered') return landing.plain
      if (landing.kind === 'long') return sought.ask(signal)
      const isOther = landing.failure instanceof UpstreamFailure && landing.failure.kind === 'aborted'
      if (isAnswer(landing.failure) || (attempt > 0 && !isOther)) throw landing.failure
    }
  }

  async #lead(sought: Sought, signal: AbortSignal): Promise<Asked> {
    // A quick call costs less to ask again than to keep from ending with the one who asked first.
    const isQuick = paceOf(sought.method) === 'quick'
    const flight = new Flight(this.#parts.chain.epoch, isQuick ? signal : undefined)
    this.#flights.set(sought.key, flight)
    const flown = this.#fly(sought, flight)
    if (isQuick) return flown
    try {
      const asked = await flight.wait(flown, signal)
      if ('answer' in asked && !asked.answer.bytes) flight.endWith(signal, asked.answer)
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

  async #fly(sought: Sought, flight: Flight): Promise<Asked> {
    let landing: Landing = { kind: 'long' }
    try {
      const { sharedKey, ask } = sought
      const shared = sharedKey === undefined ? undefined : await this.#parts.shared.get(sharedKey)
      if (shared !== undefined) {
        this.#keep({ ...sought, sharedKey: undefined }, shared, this.#untilWhen(sought))
        landing = { kind: 'answered', plain: { result: shared } }
        return landing.plain
      }
      const until = this.#untilWhen(sought)
      const asked = await ask(flight.signal)
      const plain = await this.#plain(asked, sought, until, flight)
      if (!plain) return asked
      landing = { kind: 'answered', plain }
      if ('result' in plain) this.#keep(sought, plain.result, until)
      // Nothing was read of an answer that came whole.
      return 'answer' in asked && asked.answer.bytes && flight.followers === 0 ? asked : plain
    } catch (error) {
      landing = { kind: 'failed', failure: error }
      throw error
    } finally {
      if (this.#flights.get(sought.key) === flight) this.#flights.delete(sought.key)
      flight.land(landing)
    }
  }

  /** The answer without its envelope, if it is short and anybody but the first one has a use for that. */
  async #plain(
    asked: Asked,
    { method }: Sought,
    until: Until | undefined,
    flight: Flight,
  ): Promise<PlainAnswer | undefined> {
    if (!('answer' in asked)) return asked
    if (until === undefined && flight.followers === 0) return undefined
    const room = this.#parts.upstream.room()
    const length = Math.min(Number(asked.answer.contentLength ?? maxKeptBytes), maxKeptBytes)
    try {
      if (!room.offers(length)) return undefined
      room.take(length)
      const bytes = await readUpTo(asked.answer, maxKeptBytes)
      return bytes && plainAnswer(bytes.toString('utf8'), method, asked.answer.secrets)
    } finally {
      room.empty()
    }
  }

  /** Until when an answer that is asked for now may be kept; undefined when it may not. */
  #untilWhen({ rule, block }: Sought): Until | undefined {
    const { chain, kept, headMs } = this.#parts
    if (!kept.isOn || !chain.isLasting) return undefined
    if (rule.lifetime.kind === 'params') return {}
    if (rule.lifetime.kind === 'chain') return { until: performance.now() + rule.lifetime.ms }
    if (block.kind === 'told')
      return chain.finalized === undefined ? undefined : { finalized: chain.finalized }
    if (block.kind === 'number') return this.#isFinal(block, rule) ? { number: block.number } : undefined
    const { headMark } = chain
    if (block.kind === 'unknown' || headMs === 0 || headMark === undefined) return undefined
    return { until: performance.now() + headMs, head: headMark }
  }

  #isFinal(block: BlockOfCall, { lifetime }: CacheRule): boolean {
    const { chain } = this.#parts
    const last = lifetime.kind === 'logs' ? chain.surelyFinalized : chain.finalized
    return block.kind === 'number' && last !== undefined && block.number <= last
  }

  #keep({ key, block, sharedKey }: Sought, result: string, until: Until | undefined): void {
    const { chain, kept, shared } = this.#parts
    // Null may only mean that the node has not got it yet; the key of a chain that has changed is found no more.
    if (!until || result === 'null' || !key.startsWith(chain.prefix) || result.length > maxKeptBytes) return
    const number = block.kind === 'told' ? toldNumber(result, block.member) : until.number
    if (block.kind === 'told' && !(number !== undefined && number <= (until.finalized ?? -1))) return
    if (until.head !== undefined && until.head !== chain.headMark) return
    if (result === '[]' && !((number ?? 0) <= (chain.surelyFinalized ?? -1))) return
    if (number !== undefined) chain.kept(number)
    kept.set(key, result, { until: until.until, head: until.head })
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

// A range that is too long for one caller may not be for another.
function limitOf({ lifetime }: CacheRule, { maxLogRange = 0 }: Call): string {
  return lifetime.kind === 'logs' ? `${maxLogRange} ` : ''
}

/** The number of the block that a result says it belongs to; the last one where it is a list. */
function toldNumber(result: string, member: string): number | undefined {
  const value: unknown = JSON.parse(result)
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  let highest: number | undefined
  for (const one of values) {
    const told =
      typeof one === 'object' && one !== null ? (one as Readonly<Record<string, unknown>>)[member] : undefined
    const number = typeof told === 'number' ? told : blockNumberOf(told)
    if (number === undefined) return undefined
    highest = Math.max(highest ?? 0, number)
  }
  return highest
}
