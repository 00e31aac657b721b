import type { Rate } from '../../grants/limits.ts'
import type { Rejection } from '../types.ts'
import { type Owner, tooFast } from '../rejections.ts'
import { TokenBucket } from '../token-bucket.ts'
import type { Limit } from './limit.ts'
import { RateLease } from './rate-lease.ts'
import type { SharedLimits } from './shared-limits.ts'

/** What a rate is of. */
export interface RateSubject {
  readonly owner: Owner
  /** Names the bucket among all replicas. */
  readonly key: string
  /** The pattern, for a limit of some methods only. */
  readonly method?: string | undefined
}

/** A limit on how fast calls may come: shared with the other replicas while they can be asked, else a part of it. */
export class RateLimit implements Limit {
  readonly #subject: RateSubject
  readonly #shared: SharedLimits
  readonly #local: TokenBucket
  readonly #lease: RateLease | undefined
  #rate: Rate
  #replicas: number

  constructor(subject: RateSubject, rate: Rate, shared: SharedLimits, now: number) {
    this.#subject = subject
    this.#rate = rate
    this.#shared = shared
    this.#replicas = shared.replicas()
    this.#local = new TokenBucket(...partOf(rate, this.#replicas), now)
    this.#lease = shared.store && new RateLease(shared.store, subject.key, rate)
  }

  take(_: number, now: number): Rejection | undefined {
    const waitMs =
      this.#lease?.isInForce(now) === true ? this.#takeShared(this.#lease, now) : this.#takeLocal(now)
    return waitMs === 0 ? undefined : tooFast(this.#subject.owner, this.#rate, waitMs, this.#subject.method)
  }

  refund(): void {
    if (this.#lease?.isInForce(performance.now()) === true) this.#lease.giveBack()
    this.#local.giveBack()
  }

  isIdle(now: number): boolean {
    return this.#local.isFull(now) && this.#lease?.isIdle(now) !== false
  }

  /** Puts another rate in force. */
  change(rate: Rate, now: number): void {
    if (rate.requestsPerSecond === this.#rate.requestsPerSecond && rate.burst === this.#rate.burst) return
    this.#rate = rate
    this.#lease?.change(rate)
    this.#local.change(...partOf(rate, this.#replicas), now)
  }

  /** What passes here counts here as well: should the store be lost, the burst has not to pass once more. */
  #takeShared(lease: RateLease, now: number): number {
    const waitMs = lease.take(now)
    if (waitMs === 0) this.#local.take(now)
    return waitMs
  }

  #takeLocal(now: number): number {
    const replicas = this.#shared.replicas()
    if (replicas !== this.#replicas) {
      this.#replicas = replicas
      this.#local.change(...partOf(this.#rate, replicas), now)
    }
    return this.#local.take(now)
  }
}

function partOf({ requestsPerSecond, burst }: Rate, replicas: number): [perSecond: number, size: number] {
  return [requestsPerSecond / replicas, Math.max(1, (burst ?? requestsPerSecond) / replicas)]
}
