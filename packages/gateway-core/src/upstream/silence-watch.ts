import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { Cancellation, type CancellationSignal, guardedTimeout, runDetached } from '@fairlead/http1'
import type { PoolMember } from './pool-member.ts'
import type { Upstream } from './upstream.ts'

const tickMs = 50
// A process that stood still has not read what arrived meanwhile, and must not count that time.
const longestStepMs = 2 * tickMs
const shortestLimitMs = 500
const limitFactor = 4
const shortestProbeMs = 1_000
const idleTicks = 40

/** Detects silent upstreams of a pool, and has the calls that wait for one sent on. It looks only while calls run. */
export class SilenceWatch<member extends PoolMember> {
  readonly #members: readonly member[]
  readonly #ask: (member: member, signal: CancellationSignal) => Promise<unknown>
  readonly #log: Logger | undefined
  readonly #now: () => number
  readonly #probed = new Set<member>()
  #timer: NodeJS.Timeout | undefined
  #lookedAt = 0
  #idle = 0
  #isStopped = false

  /**
   * @param ask - asks an upstream something that costs it little
   * @param now - a clock in milliseconds
   */
  constructor(
    members: readonly member[],
    ask: (member: member, signal: CancellationSignal) => Promise<unknown>,
    log: Logger | undefined,
    now: () => number = () => performance.now(),
  ) {
    this.#members = members
    this.#ask = ask
    this.#log = log
    this.#now = now
  }

  /** Has it look while calls run. */
  start(): void {
    if (this.#timer !== undefined || this.#isStopped) return
    this.#lookedAt = this.#now()
    this.#idle = 0
    runDetached(() => this.#plan())
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  /** Looks at all upstreams once. */
  look(): void {
    const now = this.#now()
    const elapsedMs = Math.min(longestStepMs, now - this.#lookedAt)
    this.#lookedAt = now
    let isIdle = true
    // First all of them, so that no call goes to one that is found silent next.
    for (const member of this.#members) this.#lookAt(member, elapsedMs)
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
      this.look()
      if (this.#idle < idleTicks && !this.#isStopped) this.#plan()
    }, tickMs).unref()
  }

  #lookAt(member: member, elapsedMs: number): void {
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
    this.#ask(member, end).then(over, over)
  }
}

/** Whether calls that wait for an upstream are sent on: it is silent, or its answers stop so often that it gets no more. */
function hangs({ silence, hasStalled, breaker }: Upstream): boolean {
  return silence.isSilent || (hasStalled && breaker.state !== 'closed')
}
