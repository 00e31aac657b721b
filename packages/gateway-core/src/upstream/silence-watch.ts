import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { Cancellation, type CancellationSignal, guardedTimeout, runDetached } from '@fairlead/http1'
import type { PoolMember } from './pool-member.ts'
import type { Upstream } from './upstream.ts'

const tickMs = 50
// A process that was blocked has not read the data that arrived meanwhile, so longer steps do not count in full.
const longestStepMs = 2 * tickMs
const shortestLimitMs = 500
const limitFactor = 4
const shortestProbeMs = 1_000
const idleTicks = 40

/**
 * Detects silent upstreams of a pool, and resends the calls that wait for one. It checks only while calls are running.
 */
export class SilenceWatch<member extends PoolMember> {
  readonly #members: readonly member[]
  readonly #sendProbe: (member: member, signal: CancellationSignal) => Promise<unknown>
  readonly #log: Logger | undefined
  readonly #now: () => number
  readonly #probed = new Set<member>()
  #timer: NodeJS.Timeout | undefined
  #polledAt = 0
  #idle = 0
  #isStopped = false

  /**
   * @param sendProbe - sends a request that is cheap for the upstream
   * @param now - a clock in milliseconds
   */
  constructor(
    members: readonly member[],
    sendProbe: (member: member, signal: CancellationSignal) => Promise<unknown>,
    log: Logger | undefined,
    now: () => number = () => performance.now(),
  ) {
    this.#members = members
    this.#sendProbe = sendProbe
    this.#log = log
    this.#now = now
  }

  /** Starts checking while calls are running. */
  start(): void {
    if (this.#timer !== undefined || this.#isStopped) return
    this.#polledAt = this.#now()
    this.#idle = 0
    runDetached(() => this.#plan())
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  /** Checks all upstreams once. */
  poll(): void {
    const now = this.#now()
    const elapsedMs = Math.min(longestStepMs, now - this.#polledAt)
    this.#polledAt = now
    let isIdle = true
    // All are checked first, so that no call is resent to an upstream that this check then finds silent.
    for (const member of this.#members) this.#inspect(member, elapsedMs)
    for (const member of this.#members) {
      const { upstream } = member
      if (!upstream.attempts.isEmpty) isIdle = false
      if (hangs(upstream)) for (const attempt of upstream.attempts.snapshot()) attempt.hang()
      upstream.hasStalled = false
    }
    this.#idle = isIdle ? this.#idle + 1 : 0
  }

  #plan(): void {
    this.#timer = guardedTimeout(() => {
      this.#timer = undefined
      this.poll()
      if (this.#idle < idleTicks && !this.#isStopped) this.#plan()
    }, tickMs).unref()
  }

  #inspect(member: member, elapsedMs: number): void {
    const { attempts, silence, connection, quick, id } = member.upstream
    const limitMs = Math.max(shortestLimitMs, limitFactor * (quick.percentile99 ?? 0))
    const isProbed = this.#probed.has(member)
    const wasSilent = silence.isSilent
    const isProbeDue = silence.observe({
      elapsedMs,
      lastBytesAt: connection.lastBytesAt,
      isWaiting: !attempts.isEmpty || isProbed,
      isQuickWaiting: attempts.quick > 0 || isProbed,
      limitMs,
    })
    if (silence.isSilent !== wasSilent) {
      const what = wasSilent ? 'an upstream responds again' : 'an upstream does not respond and gets no calls'
      this.#log?.warn({ upstream: id }, what)
    }
    if (isProbeDue && !isProbed) this.#probe(member, limitMs)
  }

  #probe(member: member, limitMs: number): void {
    const end = new Cancellation()
    const timer = guardedTimeout(() => end.abort(), Math.max(shortestProbeMs, 2 * limitMs)).unref()
    this.#probed.add(member)
    const over = () => {
      clearTimeout(timer)
      this.#probed.delete(member)
    }
    this.#sendProbe(member, end).then(over, over)
  }
}

/**
 * Whether calls that wait for an upstream are resent: it is silent, or its responses stall so often that its circuit
 * breaker is not closed.
 */
function hangs({ silence, hasStalled, breaker }: Upstream): boolean {
  return silence.isSilent || (hasStalled && breaker.state !== 'closed')
}
