import type { Logger } from 'pino'
import type { CancellationSignal } from '@fairlead/http1'
import { promised } from '../completion.ts'
import type { UpstreamRecord } from '../grants/parse-upstreams.ts'
import { currentTrace, withSpan } from '../telemetry/current-trace.ts'
import { type CallSupport, FailoverCall, type PooledResponse } from '../upstream/failover-call.ts'
import { HealthRounds, type RoundTimes } from '../upstream/health-rounds.ts'
import type { Idempotency } from '../upstream/idempotency.ts'
import { takeSlot } from '../upstream/rate-slot.ts'
import { RetryBudget } from '../upstream/retry-budget.ts'
import { selectSteadily } from '../upstream/select-upstream.ts'
import { SilenceWatch } from '../upstream/silence-watch.ts'
import { PoolMember, type UpstreamState } from '../upstream/upstream.ts'
import { UpstreamBusyError } from '../upstream/upstream-error.ts'
import { type RestCall, type RestResponse, type RestUpstream, RestUpstreamError } from './rest-call.ts'
import { PooledRestCall } from './pooled-rest-call.ts'
import { RestError } from './rest-error.ts'

/** What an upstream says of itself. */
export interface UpstreamHealth {
  /** Number of its newest block or slot. */
  readonly head: number
  /** Whether it is still reading the chain. */
  readonly isSyncing?: boolean
  /** Whether it follows a head that it cannot verify. */
  readonly isUnverified?: boolean
}

/** When upstreams are asked for their health. */
export interface HealthTimes extends RoundTimes {
  /** For an upstream's answer. */
  readonly checkTimeoutMs: number
}

/** The times of the service. */
export const healthTimes: HealthTimes = {
  intervalMs: 6_000,
  checkTimeoutMs: 3_000,
  firstRoundMs: 1_000,
  idleMs: 60_000,
}

/** What the upstreams of a node are called with. */
export interface RestPoolOptions {
  /** Asks an upstream how it is; rejects when it does not say. */
  readHealth(upstream: RestUpstream, signal: CancellationSignal): Promise<UpstreamHealth>
  /** Blocks or slots behind the best head that say nothing of an upstream. */
  readonly toleratedLag: number
  /** Longest wait for a response. */
  readonly timeoutMs: number
  readonly times: HealthTimes
  readonly log: Logger | undefined
}

type Member = PoolMember<RestUpstream>

const retryRules = { share: 0.2, perSecond: 10, most: 256 }

/** An upstream of a pool. */
export interface PoolUpstream {
  readonly upstream: RestUpstream
  readonly record: UpstreamRecord
  /** Among those of the node, counted from 0. */
  readonly position: number
}

/** The REST upstreams of a node, called as one: calls stay at the best of them. A single one is never asked for its health. */
export class RestPool {
  readonly #members: readonly Member[]
  readonly #only: Member | undefined
  readonly #options: RestPoolOptions
  readonly #rounds: HealthRounds<Member>
  readonly #silenceWatch: SilenceWatch<Member>
  readonly #retries = new RetryBudget(retryRules)
  readonly #support: CallSupport<RestUpstream, PooledRestCall> = {
    choose: (_, tried) => this.#choose(tried),
    hedgeMs: () => undefined,
    retry: () => this.#retries.spend(),
    hedge: () => false,
  }
  #present: Member | undefined

  /** @param upstreams - at least one */
  constructor(label: string, upstreams: readonly PoolUpstream[], options: RestPoolOptions) {
    const { toleratedLag, times, log } = options
    this.#members = upstreams.map(
      ({ upstream, record, position }) =>
        new PoolMember(`${label}/${position}`, upstream, record, toleratedLag),
    )
    this.#only = this.#members.length === 1 ? this.#members[0] : undefined
    this.#options = options
    this.#rounds = new HealthRounds(this.#members, times, { ask: (member) => this.#check(member) })
    this.#silenceWatch = new SilenceWatch(
      this.#members,
      ({ upstream }, signal) => options.readHealth(upstream, signal),
      log,
    )
  }

  /**
   * Sends a call to the best upstream, and to the next one where that may help.
   *
   * @throws RestError as {@link RestUpstream.request}, and 503 when no upstream is in use, or takes more calls
   */
  async request(call: RestCall, resending: Idempotency): Promise<RestResponse> {
    if (!this.#members.some(({ isInUse }) => isInUse)) {
      throw new RestError(503, 'No upstream of this node is in use.')
    }
    try {
      if (this.#only) return await this.#requestOnly(this.#only, call)
      await this.#rounds.use()
      this.#silenceWatch.start()
      this.#retries.earn()
      const pooled = new PooledRestCall(call, resending, this.#options.timeoutMs, () =>
        this.#rounds.askSoon(),
      )
      const { member, response } = await promised<PooledResponse<RestUpstream, RestResponse>>(
        (completion) => {
          new FailoverCall(pooled, this.#support, completion).begin()
        },
      )
      // The next calls go where this one was answered, unless the upstream before it did no more than answer an error.
      if (pooled.hasFailed || this.#present?.isResponsive === false) this.#present = member
      return response
    } catch (error) {
      throw error instanceof UpstreamBusyError ? busy(error) : error
    }
  }

  /** The upstreams in use, best first. */
  async ranked(): Promise<readonly RestUpstream[]> {
    if (!this.#only) await this.#rounds.use()
    const ranked: Member[] = []
    for (let next = this.#choose(ranked); next; next = this.#choose(ranked)) ranked.push(next)
    return ranked.map(({ upstream }) => upstream)
  }

  /** What is known of the upstreams. */
  states(): readonly UpstreamState[] {
    return this.#members.map(({ state }) => state)
  }

  /** Has the upstreams asked for their health for a while, also a single one. */
  watch(): void {
    void this.#rounds.use()
  }

  close(): void {
    this.#rounds.stop()
    this.#silenceWatch.stop()
  }

  /** A single upstream gets every call: there is no other one to go to. */
  async #requestOnly(member: Member, call: RestCall): Promise<RestResponse> {
    await takeSlot(member.rate, call.signal)
    const began = performance.now()
    member.breaker.probe()
    member.calls += 1
    member.callsInFlight += 1
    try {
      const { upstream, label } = member
      const send = () => upstream.request(call)
      // Most calls are part of no trace.
      const isTraced = currentTrace() !== undefined
      const response = await (isTraced ? withSpan('upstream', { 'fairlead.upstream': label }, send) : send())
      member.answered()
      // There is no other one that it could differ from.
      member.chain = 'right'
      return response
    } catch (error) {
      if (error instanceof RestUpstreamError) member.failed(error.failure, 'slow')
      throw error
    } finally {
      member.slow.add(performance.now() - began)
      member.callsInFlight -= 1
    }
  }

  #choose(tried: readonly Member[]): Member | undefined {
    const left = this.#members.filter((member) => member.isInUse && !tried.includes(member))
    const best = selectSteadily(left, this.#present)
    if (tried.length === 0) this.#present = best
    return best
  }

  async #check(member: Member): Promise<void> {
    const { readHealth, times } = this.#options
    const isJudged = member.breaker.probe()
    try {
      const health = await readHealth(member.upstream, AbortSignal.timeout(times.checkTimeoutMs))
      if (isJudged) member.breaker.succeed()
      member.chain = 'right'
      member.head = health.head
      member.isSyncing = health.isSyncing === true
      member.isUnverified = health.isUnverified === true
    } catch (error) {
      // Where it is, nobody knows any more.
      member.chain = 'unknown'
      member.head = member.lag = undefined
      if (isJudged) member.noteFailedCheck(error instanceof RestUpstreamError ? error.failure : undefined)
    }
    this.#judgeHeads()
  }

  /** An upstream that fails or syncs sets no standard for the heads of others. */
  #judgeHeads(): void {
    const shown = this.#members.filter(
      ({ isInUse, isResponsive, isSyncing }) => isInUse && isResponsive && !isSyncing,
    )
    const best = Math.max(...shown.map(({ head = -Infinity }) => head))
    for (const member of this.#members) {
      member.lag = member.head === undefined ? undefined : Math.max(0, best - member.head)
    }
  }
}

function busy({ message, retryAfterMs }: UpstreamBusyError): RestError {
  return new RestError(503, message, { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) })
}
