import type { UpstreamError, UpstreamErrorKind } from './upstream-error.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { RateBudget } from './rate-budget.ts'
import { Latency } from './latency.ts'
import { RunningAttempts } from './running-attempts.ts'
import { Silence } from './silence.ts'

/** A caller that goes away is no failure of an upstream. */
export type CountedFailure = Exclude<UpstreamErrorKind, 'aborted'>

// Another server may take over a URL.
const lackingMs = 10 * 60_000

/** The connections to an upstream. */
export interface Connection {
  /** When a byte came from it, on the clock of `performance.now()`; -Infinity before the first. */
  readonly lastBytesAt: number
}

/** An upstream, with what its calls and health checks have told about it. All nodes that use it share it. */
export class Upstream<connection extends Connection = Connection> {
  /** The same in every process and replica; it does not say where the upstream is. */
  readonly id: string
  readonly connection: connection
  readonly breaker = new CircuitBreaker()
  readonly rate: RateBudget
  readonly quick = new Latency()
  readonly slow = new Latency()
  readonly silence = new Silence()
  readonly attempts = new RunningAttempts()
  readonly #lacking = new Map<string, number>()
  /** Number of its newest block. */
  head: number | undefined = undefined
  finalized: number | undefined = undefined
  /** Whether it has said which chain it follows, or how it is. */
  isKnown = false
  /** Whether it says that it is still reading the chain. */
  isSyncing = false
  /** Whether it says that it follows a head which it cannot verify. */
  isUnverified = false
  /** Whether a response has begun and stopped lately. */
  hasStalled = false
  callsInFlight = 0
  calls = 0
  failures = 0
  retries = 0
  hedges = 0
  readonly failuresByKind: Record<CountedFailure, number> = {
    unconnected: 0,
    broken: 0,
    late: 0,
    malformed: 0,
    refused: 0,
  }

  /** @param requestsPerSecond - most calls that it is sent in a second; any number when undefined */
  constructor(id: string, connection: connection, requestsPerSecond: number | undefined) {
    this.id = id
    this.connection = connection
    this.rate = new RateBudget(requestsPerSecond)
  }

  /** Whether it gets calls as usual: its breaker is closed, and it is not silent. */
  get isResponsive(): boolean {
    return this.breaker.state === 'closed' && !this.silence.isSilent
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
    this.failuresByKind[kind] += 1
    if (httpStatus === 429) this.rate.refused(retryAfterMs)
    // Silence ends with the next byte, which a breaker would not wait for.
    else if (this.silence.isSilent) return
    // Some calls take too long at any upstream, and whoever makes them must not close it to the others.
    else if (kind !== 'late' || pace === 'quick') this.breaker.fail(kind === 'unconnected')
  }
}
