import type { Rate } from '../../grants/limits.ts'
import type { SharedStore } from '../../shared-store/types.ts'

// The part of a second for which tokens are leased in advance.
const leaseSeconds = 0.05
// How long a replica limits on its own after the store did not respond.
const localFallbackMs = 1_000
const idleMs = 10_000

// Tokens of all replicas, by the clock of the store. Debt is always charged, so the bucket may become negative.
const takeTokens = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local perSecond, size = tonumber(ARGV[1]), tonumber(ARGV[2])
local owed, wanted = tonumber(ARGV[3]), tonumber(ARGV[4])
local state = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(state[1]) or size, tonumber(state[2]) or now
tokens = math.min(size, tokens + math.max(0, now - at) / 1000 * perSecond) - owed
local granted = math.max(0, math.min(wanted, math.floor(tokens)))
tokens = tokens - granted
redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil((size - tokens) / perSecond * 1000) + 1000)
local wait = 0
if granted == 0 and tokens < 1 then wait = math.ceil((1 - tokens) / perSecond * 1000) end
return { granted, wait }`

/**
 * This replica's share of a token bucket in the shared store.
 *
 * Calls take from the tokens that were leased in advance. Without such tokens, calls take up to one lease on credit, so
 * no call waits for the store. In any period, the replicas together accept at most what the bucket allows plus two
 * leases per replica: one left from before, and one on credit.
 */
export class RateLease {
  readonly #store: SharedStore
  readonly #key: string
  #rate: Rate
  #lease = 1
  #tokens = 0
  #isRequesting = false
  #emptyUntil = 0
  #localUntil = 0
  #usedAt = 0

  constructor(store: SharedStore, key: string, rate: Rate) {
    this.#store = store
    this.#key = key
    this.#rate = rate
    this.change(rate)
  }

  change(rate: Rate): void {
    this.#rate = rate
    this.#lease = leaseOf(rate)
  }

  /** Whether the store is available. */
  isStoreAvailable(now: number): boolean {
    return this.#store.isUp && now >= this.#localUntil
  }

  /** Takes a token and returns 0, or returns the number of milliseconds until a token may be available. */
  take(now: number): number {
    this.#usedAt = now
    const allowDebt = now >= this.#emptyUntil && this.#tokens > -this.#lease
    const mayRequest = !this.#isRequesting && now >= this.#emptyUntil
    if (this.#tokens < 1 && !allowDebt) {
      // All of the credit was used while the last request to the store settled a smaller debt.
      if (mayRequest) void this.#request()
      return Math.max(1, this.#emptyUntil - now)
    }
    this.#tokens -= 1
    // A single leased token would only be withheld from other replicas.
    const isLow = this.#lease === 1 ? this.#tokens < 0 : this.#tokens < this.#lease / 2
    if (isLow && mayRequest) void this.#request()
    return 0
  }

  refund(): void {
    this.#tokens += 1
  }

  isIdle(now: number): boolean {
    return !this.#isRequesting && now - this.#usedAt > idleMs
  }

  async #request(): Promise<void> {
    this.#isRequesting = true
    const { requestsPerSecond, burst = requestsPerSecond } = this.#rate
    const owed = Math.max(0, -this.#tokens)
    const wanted = this.#lease === 1 ? 0 : this.#lease
    try {
      const values = [requestsPerSecond, Math.max(1, burst), owed, wanted]
      const [granted, waitMs] = (await this.#store.script(takeTokens, [this.#key], values)) as [
        number,
        number,
      ]
      this.#tokens += owed + granted
      if (waitMs > 0) this.#emptyUntil = performance.now() + waitMs
    } catch {
      // Whether the debt was settled is unknown; a new lease begins without debt.
      this.#tokens = 0
      this.#localUntil = performance.now() + localFallbackMs
    } finally {
      this.#isRequesting = false
    }
  }
}

/** Number of tokens per lease. */
function leaseOf({ requestsPerSecond, burst = requestsPerSecond }: Rate): number {
  return Math.max(1, Math.min(Math.floor(requestsPerSecond * leaseSeconds), Math.floor(burst / 4)))
}
