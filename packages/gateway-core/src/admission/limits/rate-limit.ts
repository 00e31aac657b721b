import type { Rate } from '../../grants/limits.ts'
import type { Rejection } from '../types.ts'
import { type Owner, rateLimited } from '../rejections.ts'
import { TokenBucket } from '../token-bucket.ts'
import type { Limit } from './limit.ts'
import { RateLease } from './rate-lease.ts'
import type { SharedLimits } from './shared-limits.ts'

/** The subject of a rate limit. */
export interface RateSubject {
  readonly owner: Owner
  /** Key of the bucket, shared by all replicas. */
  readonly key: string
  /** The method pattern, for a limit that applies to some methods only. */
  readonly method?: string | undefined
}

/**
 * A rate limit. It is shared by all replicas while the store is available; otherwise each replica enforces its share of
 * it.
 */
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
    this.#local = new TokenBucket(...shareOf(rate, this.#replicas), now)
    this.#lease = shared.store && new RateLease(shared.store, subject.key, rate)
  }

  take(_: number, now: number): Rejection | undefined {
    const waitMs =
      this.#lease?.isStoreAvailable(now) === true ? this.#takeShared(this.#lease, now) : this.#takeLocal(now)
    return waitMs === 0
      ? undefined
      : rateLimited(this.#subject.owner, this.#rate, waitMs, this.#subject.method)
  }

  refund(): void {
    if (this.#lease?.isStoreAvailable(performance.now()) === true) this.#lease.refund()
    this.#local.refund()
  }

  isIdle(now: number): boolean {
    return this.#local.isFull(now) && this.#lease?.isIdle(now) !== false
  }

  /** Applies a new rate. */
  change(rate: Rate, now: number): void {
    if (rate.requestsPerSecond === this.#rate.requestsPerSecond && rate.burst === this.#rate.burst) return
    this.#rate = rate
    this.#lease?.change(rate)
    this.#local.change(...shareOf(rate, this.#replicas), now)
  }

  /** Also charges the local bucket, so that the burst is not available again when the store becomes unavailable. */
  #takeShared(lease: RateLease, now: number): number {
    const waitMs = lease.take(now)
    if (waitMs === 0) this.#local.take(now)
    return waitMs
  }

  #takeLocal(now: number): number {
    const replicas = this.#shared.replicas()
    if (replicas !== this.#replicas) {
      this.#replicas = replicas
      this.#local.change(...shareOf(this.#rate, replicas), now)
    }
    return this.#local.take(now)
  }
}

function shareOf({ requestsPerSecond, burst }: Rate, replicas: number): [perSecond: number, size: number] {
  return [requestsPerSecond / replicas, Math.max(1, (burst ?? requestsPerSecond) / replicas)]
}
