import type { UpstreamRecord, UpstreamRole } from '../grants/parse-upstreams.ts'
import type { UpstreamError, UpstreamErrorKind } from './upstream-error.ts'
import { CircuitBreaker, type CircuitBreakerState } from './circuit-breaker.ts'
import { RateBudget } from './rate-budget.ts'
import { Latency } from './latency.ts'
import { RunningAttempts } from './running-attempts.ts'
import { Silence } from './silence.ts'

/** How an upstream stands among the others of its node; the earlier, the better. */
export const upstreamClasses = [
  'ready',
  'unverified',
  'lagging',
  'unknown',
  'far behind',
  'failing',
  'wrong chain',
  'cordoned',
] as const

/** One of {@link upstreamClasses}. */
export type UpstreamClass = (typeof upstreamClasses)[number]

/** What is known of one upstream; nothing of it says where it is. */
export interface UpstreamState {
  /** `<node id>/<protocol>/<position>`, counted from 0. */
  readonly label: string
  readonly class: UpstreamClass
  readonly breaker: CircuitBreakerState
  readonly head: number | undefined
  /** Blocks behind the best head of the node. */
  readonly lag: number | undefined
  /** Average time of an answer, in milliseconds. */
  readonly latencyMs: number | undefined
  /** Share of the latest calls that failed, from 0 to 1. */
  readonly errorRate: number
  readonly callsInFlight: number
  readonly calls: number
  readonly failures: number
  readonly failuresByKind: Readonly<Record<CountedFailure, number>>
  /** Calls that came here because another upstream had failed, or was too slow to wait for. */
  readonly retries: number
  /** Calls that came here while another upstream was still expected to answer. */
  readonly hedges: number
  /** What all calls together have waited for this upstream, in milliseconds. */
  readonly totalMs: number
}

/** A caller that goes away is no failure of an upstream. */
type CountedFailure = Exclude<UpstreamErrorKind, 'aborted'>

/** An upstream that is further behind lags. */
export const laggingBlocks = 3
const farBehindBlocks = 40
// A node may be replaced by a newer one at the same address.
const lackingMs = 10 * 60_000

/** What is sent to an upstream goes through it. */
export interface Connection {
  /** When a byte came from it, on the clock of `performance.now()`; -Infinity before the first. */
  readonly lastBytesAt: number
}

/** One upstream of a node, with what its calls and the watch have told about it. */
export class PoolMember<connection extends Connection = Connection> {
  readonly label: string
  readonly upstream: connection
  readonly record: UpstreamRecord
  readonly breaker = new CircuitBreaker()
  readonly rate: RateBudget
  readonly quick = new Latency()
  readonly slow = new Latency()
  readonly silence = new Silence()
  readonly attempts = new RunningAttempts()
  readonly #lacking = new Map<string, number>()
  readonly #toleratedLag: number
  /** Number of its newest block. */
  head: number | undefined
  finalized: number | undefined
  lag: number | undefined
  chain: 'unknown' | 'right' | 'wrong' = 'unknown'
  /** Whether it claims a head far above the others, and has no such block. */
  isDoubted = false
  /** Whether it says that it is still reading the chain. */
  isSyncing = false
  /** Whether it says that it follows a head which it cannot verify. */
  isUnverified = false
  /** Of smooth weighted turns. */
  turn = 0
  /** Whether an answer has begun and stopped lately. */
  hasStalled = false
  callsInFlight = 0
  calls = 0
  failures = 0
  retries = 0
  hedges = 0
  readonly #failuresByKind = { unconnected: 0, broken: 0, late: 0, malformed: 0, refused: 0 }

  /** @param toleratedLag - blocks behind the best head that say nothing of an upstream */
  constructor(label: string, upstream: connection, record: UpstreamRecord, toleratedLag = laggingBlocks) {
    this.label = label
    this.upstream = upstream
    this.record = record
    this.rate = new RateBudget(record.requestsPerSecond)
    this.#toleratedLag = toleratedLag
  }

  get class(): UpstreamClass {
    if (this.record.isCordoned) return 'cordoned'
    if (this.chain === 'wrong') return 'wrong chain'
    if (!this.isResponsive) return 'failing'
    if (this.isDoubted || this.isSyncing || (this.lag ?? 0) > farBehindBlocks) return 'far behind'
    if (this.chain === 'unknown') return 'unknown'
    if ((this.lag ?? 0) > this.#toleratedLag) return 'lagging'
    return this.isUnverified ? 'unverified' : 'ready'
  }

  /** Whether it gets calls as usual: its breaker is closed, and it is not silent. */
  get isResponsive(): boolean {
    return this.breaker.state === 'closed' && !this.silence.isSilent
  }

  get state(): UpstreamState {
    const { label, breaker, head, lag, quick, slow, callsInFlight, calls, failures, retries, hedges } = this
    return {
      label,
      class: this.class,
      breaker: breaker.state,
      head,
      lag,
      latencyMs: quick.mean ?? slow.mean,
      errorRate: breaker.errorRate,
      callsInFlight,
      calls,
      failures,
      failuresByKind: this.#failuresByKind,
      retries,
      hedges,
      totalMs: quick.totalMs + slow.totalMs,
    }
  }

  /** Whether calls may go to it at all. */
  get isInUse(): boolean {
    return !this.record.isCordoned && this.chain !== 'wrong'
  }

  serves(role: UpstreamRole): boolean {
    return this.record.roles.length === 0 || this.record.roles.includes(role)
  }

  /** Notes that the upstream does not have a method. */
  lacks(method: string): void {
    this.#lacking.set(method, performance.now())
  }

  isLacking(method: string): boolean {
    if (this.#lacking.size === 0) return false
    return performance.now() - (this.#lacking.get(method) ?? -Infinity) < lackingMs
  }

  /**
   * Notes that it did not say how it is.
   *
   * @param failure - undefined when it has answered something else
   */
  noteFailedCheck(failure: UpstreamError | undefined): void {
    // An error of the node is an answer too, and so is that it takes no more calls: it may not stay half open for that.
    if (!failure) this.breaker.succeed()
    else if (failure.httpStatus === 429) {
      this.rate.refused(failure.retryAfterMs)
      this.breaker.succeed()
    }
    // Silence ends with the next byte, which a breaker would not wait for.
    else if (this.silence.isSilent && this.breaker.state === 'closed') return
    // What it is asked for is at hand at every node: one that takes this long for it hangs.
    else if (failure.kind !== 'aborted') {
      this.breaker.fail(failure.kind === 'unconnected' || failure.kind === 'late')
    }
  }

  /** Counts a call that was answered, whatever the answer says. */
  answered(): void {
    this.breaker.succeed()
    this.rate.taken()
  }

  /** Counts a call that came to nothing, unless the caller ended it. */
  failed({ kind, httpStatus, retryAfterMs }: UpstreamError, pace: 'quick' | 'slow'): void {
    if (kind === 'aborted') return
    this.failures += 1
    this.#failuresByKind[kind] += 1
    if (httpStatus === 429) this.rate.refused(retryAfterMs)
    // Silence ends with the next byte, which a breaker would not wait for.
    else if (this.silence.isSilent) return
    // Some calls take too long at any upstream, and whoever makes them must not close it to the others.
    else if (kind !== 'late' || pace === 'quick') this.breaker.fail(kind === 'unconnected')
  }
}
