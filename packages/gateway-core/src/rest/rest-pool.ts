import type { Logger } from 'pino'
import { type CancellationSignal, promised, settleWith } from '@fairlead/runtime'
import { currentTrace, withSpan } from '../telemetry/current-trace.ts'
import { FailoverCall } from '../upstream/failover-call.ts'
import type { CallSupport, PooledResponse } from '../upstream/failover-settings.ts'
import type { Idempotency } from '../upstream/idempotency.ts'
import { takeSlot } from '../upstream/rate-slot.ts'
import { RecordedCall } from '../upstream/recorded-call.ts'
import { RetryBudget, retryRules } from '../upstream/retry-budget.ts'
import { SilenceWatch } from '../upstream/silence-watch.ts'
import { type HealthSource, SteadyPool } from '../upstream/steady-pool.ts'
import type { PoolMember, PoolUpstream, UpstreamState } from '../upstream/pool-member.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { UpstreamBusyError, UpstreamError } from '../upstream/upstream-error.ts'
import { retryAfterSeconds } from '../admission/rejections.ts'
import { retryAfterFields } from '../http/response-fields.ts'
import { PooledRestCall, recordRateLimit } from './pooled-rest-call.ts'
import {
  type BufferedResponse,
  type RestCall,
  type RestResponse,
  type RestUpstream,
  RestUpstreamError,
} from './rest-call.ts'
import { RestError } from './rest-error.ts'

/** Options of {@link RestPool}. */
export interface RestPoolOptions extends HealthSource<RestUpstream> {
  /** Sends a request that is cheap for an upstream; rejects when it fails. */
  probe(upstream: RestUpstream, signal: CancellationSignal): Promise<unknown>
  /** Response timeout. */
  readonly timeoutMs: number
  readonly log?: Logger | undefined
}

type Member = PoolMember<RestUpstream>

/**
 * The REST upstreams of a node. Calls stay at the best upstream. A single upstream gets no health checks by default.
 */
export class RestPool {
  readonly #pool: SteadyPool<RestUpstream>
  readonly #timeoutMs: number
  readonly #silenceWatch: SilenceWatch<Member>
  readonly #retries = new RetryBudget(retryRules)
  readonly #support: CallSupport<RestUpstream, PooledRestCall> = {
    choose: (_, tried) => this.#pool.choose(tried),
    hedgeMs: () => undefined,
    hasResponsive: () => this.#pool.hasResponsive(),
    retry: () => this.#retries.spend(),
    hedge: () => false,
  }

  /**
   * @param upstreams - at least one
   * @param previous - pool that this one replaces
   */
  constructor(
    field: string,
    upstreams: readonly PoolUpstream<RestUpstream>[],
    options: RestPoolOptions,
    previous?: RestPool,
  ) {
    this.#pool = new SteadyPool(field, upstreams, options, previous && previous.#pool)
    this.#timeoutMs = options.timeoutMs
    this.#silenceWatch = new SilenceWatch(
      this.#pool.members,
      ({ upstream }, signal) => options.probe(upstream.connection, signal),
      () => this.#pool.checkSoon(),
      options.log,
    )
  }

  /**
   * Sends a call to the best upstream, and to the next one where that may help.
   *
   * @throws RestError as {@link RestUpstream.request}, 503 when no upstream is in use, and 429 when none accepts more calls
   */
  async request(call: RestCall, resending: Idempotency): Promise<RestResponse> {
    this.#assertInUse()
    try {
      const { only } = this.#pool
      const response = only
        ? await requestOnly(only.upstream, call)
        : await this.#requestBest(call, resending)
      return response.status === 429 && 'bytes' in response ? this.#withRetryAfter(response) : response
    } catch (error) {
      if (error instanceof UpstreamBusyError) throw busy(error)
      // The call was ended before it was sent.
      throw error instanceof UpstreamError ? new RestUpstreamError(error) : error
    }
  }

  /**
   * The upstreams in use, best first; at least one.
   *
   * @throws RestError 503 when none is in use
   */
  async ranked(): Promise<readonly RestUpstream[]> {
    this.#assertInUse()
    await this.#pool.use()
    const ranked: Member[] = []
    for (let next = this.#pool.choose(ranked); next; next = this.#pool.choose(ranked)) ranked.push(next)
    return ranked.map(({ upstream }) => upstream.connection)
  }

  /** State of the upstreams. */
  states(): readonly UpstreamState[] {
    return this.#pool.states()
  }

  /** Starts health checks of the upstreams for a while, also of a single one. */
  watch(): void {
    this.#pool.watch()
  }

  /** Whether an upstream is one of these, possibly cordoned. */
  includes(upstream: RestUpstream): boolean {
    return this.#pool.members.some(({ upstream: { connection } }) => connection === upstream)
  }

  /** Whether an upstream is one of these and may receive calls. */
  uses(upstream: RestUpstream): boolean {
    return this.#pool.members.some((member) => member.upstream.connection === upstream && member.isInUse)
  }

  /** Stops the health checks. Current calls complete. */
  retire(): void {
    this.#pool.close()
  }

  close(): void {
    this.retire()
    this.#silenceWatch.stop()
  }

  /** Adds the time after which an upstream receives calls again, unless the upstream itself has sent a time. */
  #withRetryAfter(response: BufferedResponse): BufferedResponse {
    const waits = this.#pool.members.flatMap(({ isInUse, upstream }) =>
      isInUse ? [upstream.rate.waitMs] : [],
    )
    const fields = retryAfterFields(retryAfterSeconds(Math.min(...waits)))
    return { ...response, headers: { ...fields, ...response.headers } }
  }

  #assertInUse(): void {
    if (this.#pool.members.some(({ isInUse }) => isInUse)) return
    throw new RestError(503, 'No upstream of this node is available: all are cordoned or on another chain.')
  }

  async #requestBest(call: RestCall, resending: Idempotency): Promise<RestResponse> {
    await this.#pool.use()
    this.#retries.earn()
    const pooled = new PooledRestCall(call, resending, this.#timeoutMs, () => this.#pool.checkSoon())
    this.#silenceWatch.beginCall()
    const { member, response } = await promised<PooledResponse<RestUpstream, RestResponse>>((completion) => {
      new FailoverCall(pooled, this.#support, completion).begin()
    }).finally(() => this.#silenceWatch.endCall())
    // Further calls go to the upstream that responded, unless the upstream before it only responded with an error.
    if (pooled.hasFailed || this.#pool.current?.upstream.isResponsive === false) this.#pool.moveTo(member)
    return response
  }
}

/** A single upstream receives every call, because there is no alternative. */
async function requestOnly(upstream: Upstream<RestUpstream>, call: RestCall): Promise<RestResponse> {
  await takeSlot(upstream.rate, call.tenant, call.signal)
  const send = () => upstream.connection.request(call)
  const response = await promised<RestResponse>((completion) => {
    const recorded = new RecordedCall(upstream, 'long', completion)
    // Most calls are not traced.
    const isTraced = currentTrace() !== undefined
    const attributes = { 'fairlead.upstream': upstream.id }
    settleWith(isTraced ? withSpan('upstream', attributes, send) : send(), recorded)
  })
  recordRateLimit(upstream, response)
  upstream.hasReported = true
  return response
}

function busy({ message, retryAfterMs }: UpstreamBusyError): RestError {
  return new RestError(429, message, retryAfterFields(retryAfterSeconds(retryAfterMs)))
}
