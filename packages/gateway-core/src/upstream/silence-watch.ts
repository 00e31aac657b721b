import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { Cancellation, type CancellationSignal, guardedTimeout, runDetached } from '@fairlead/runtime'
import type { PoolMember } from './pool-member.ts'
import { silenceTickMs } from './silence.ts'
import type { Upstream } from './upstream.ts'

const minLimitMs = 500
const limitFactor = 4
const minProbeMs = 1_000
const idleTicks = 40

/**
 * Detects silent upstreams of a pool, and resends the calls that wait for one. It checks while calls of the pool run, and
 * shortly after.
 */
export class SilenceWatch<member extends PoolMember> {
  readonly #members: readonly member[]
  readonly #sendProbe: (member: member, signal: CancellationSignal) => Promise<unknown>
  readonly #onSilent: () => void
  readonly #log: Logger | undefined
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined
  #calls = 0
  #idle = 0
  #isStopped = false

  /**
   * @param sendProbe - sends a request that is cheap for the upstream
   * @param onSilent - called when an upstream has become silent
   * @param now - a clock in milliseconds
   */
  constructor(
    members: readonly member[],
    sendProbe: (member: member, signal: CancellationSignal) => Promise<unknown>,
    onSilent: () => void,
    log: Logger | undefined,
    now: () => number = () => performance.now(),
  ) {
    this.#members = members
    this.#sendProbe = sendProbe
    this.#onSilent = onSilent
    this.#log = log
    this.#now = now
  }

  /** Notes that a call of the pool begins; {@link endCall} has to follow. */
  beginCall(): void {
    this.#calls += 1
    this.#idle = 0
    if (this.#timer !== undefined || this.#isStopped) return
    runDetached(() => this.#plan())
  }

  endCall(): void {
    this.#calls -= 1
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  /** Checks all upstreams once. */
  poll(): void {
    const now = this.#now()
    // All are checked first, so that no call is resent to an upstream that this check then finds silent.
    for (const member of this.#members) this.#inspect(member, now)
    for (const { upstream } of this.#members) {
      if (hangs(upstream)) for (const attempt of upstream.attempts.snapshot()) attempt.hang()
      upstream.hasStalled = false
    }
    this.#idle = this.#calls === 0 ? this.#idle + 1 : 0
  }

  #plan(): void {
    this.#timer = guardedTimeout(() => {
      this.#timer = undefined
      this.poll()
      if (this.#idle < idleTicks && !this.#isStopped) this.#plan()
    }, silenceTickMs).unref()
  }

  #inspect(member: member, now: number): void {
    const { attempts, silence, connection, latency, id } = member.upstream
    const limitMs = Math.max(minLimitMs, limitFactor * (latency.short.percentile99 ?? 0))
    const { isProbed } = silence
    const wasSilent = silence.isSilent
    const isProbeDue = silence.observe({
      now,
      lastBytesAt: connection.lastBytesAt,
      isWaiting: !attempts.isEmpty || isProbed,
      isShortWaiting: attempts.shortAttempts > 0 || isProbed,
      limitMs,
    })
    if (silence.isSilent !== wasSilent) {
      const message = wasSilent
        ? 'an upstream responds again'
        : 'an upstream does not respond and receives no calls'
      this.#log?.warn({ upstream: id }, message)
      if (!wasSilent) this.#onSilent()
    }
    if (isProbeDue && !isProbed) this.#probe(member, limitMs)
  }

  #probe(member: member, limitMs: number): void {
    const end = new Cancellation()
    const timer = guardedTimeout(() => end.abort(), Math.max(minProbeMs, 2 * limitMs)).unref()
    const { silence } = member.upstream
    silence.isProbed = true
    const over = () => {
      clearTimeout(timer)
      silence.isProbed = false
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
