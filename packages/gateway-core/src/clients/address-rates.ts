import { createLruCache, networkOf } from '@fairlead/runtime'
import { plainAddress } from '../admission/access-rules.ts'
import { TokenBucket } from '../admission/token-bucket.ts'

// A client with more networks than this evicts its own entries.
const maxAddresses = 20_000

/** Limits how often something may happen per IP address, over all of its connections. */
export class AddressRates {
  readonly #byNetwork = createLruCache<TokenBucket>({ maxEntries: maxAddresses })
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
    const bucket = this.#byNetwork.get(keyOf(address))
    return this.#perSecond === 0 || bucket === undefined || bucket.waitMs(this.#now()) === 0
  }

  /** Counts events of an address; false when it exceeds its limit. Addresses of one IPv6 /64 network count together. */
  count(address: string, events = 1): boolean {
    if (this.#perSecond === 0) return true
    const now = this.#now()
    const key = keyOf(address)
    let bucket = this.#byNetwork.get(key)
    if (!bucket) {
      bucket = new TokenBucket(this.#perSecond, this.#burst, now)
      this.#byNetwork.set(key, bucket)
    }
    for (let event = 0; event < events; event++) if (bucket.take(now) > 0) return false
    return true
  }
}

function keyOf(address: string): string {
  return networkOf(plainAddress(address))
}
