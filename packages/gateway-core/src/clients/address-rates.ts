import { createLruCache, networkOf } from '@fairlead/runtime'
import { plainAddress } from '../admission/access-rules.ts'
import { TokenBucket } from '../admission/token-bucket.ts'

// A client with more networks than this evicts its own entries.
const maxAddresses = 20_000

interface NetworkRate {
  readonly bucket: TokenBucket
  /** When it last exceeded its limit. */
  exceededAt: number
}

/**
 * Limits how often something may happen per IP address, over all of its connections. An address that exceeds the limit is
 * not within it again until half of its burst is available.
 */
export class AddressRates {
  readonly #byNetwork = createLruCache<NetworkRate>({ maxEntries: maxAddresses })
  readonly #now: () => number
  #perSecond: number
  #burst: number

  /**
   * @param perSecond - 0 = unlimited
   * @param burst - number that an address may use at once
   */
  constructor(perSecond: number, burst: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond
    this.#burst = burst
    this.#now = now
  }

  /** Changes the limit. */
  change(perSecond: number, burst: number): void {
    this.#perSecond = perSecond
    this.#burst = burst
    this.#byNetwork.clear()
  }

  /** Whether an address is within its limit. */
  isWithin(address: string): boolean {
    const rate = this.#byNetwork.get(keyOf(address))
    if (this.#perSecond === 0 || rate === undefined) return true
    const now = this.#now()
    const pauseMs = (this.#burst / 2 / this.#perSecond) * 1_000
    return rate.bucket.waitMs(now) === 0 && now >= rate.exceededAt + pauseMs
  }

  /** Counts events of an address; false when it exceeds its limit. Addresses of one IPv6 /64 network count together. */
  count(address: string, events = 1): boolean {
    if (this.#perSecond === 0) return true
    const now = this.#now()
    const key = keyOf(address)
    let rate = this.#byNetwork.get(key)
    if (!rate) {
      rate = { bucket: new TokenBucket(this.#perSecond, this.#burst, now), exceededAt: -Infinity }
      this.#byNetwork.set(key, rate)
    }
    for (let event = 0; event < events; event++) {
      if (rate.bucket.take(now) === 0) continue
      rate.exceededAt = now
      return false
    }
    return true
  }
}

function keyOf(address: string): string {
  return networkOf(plainAddress(address))
}
