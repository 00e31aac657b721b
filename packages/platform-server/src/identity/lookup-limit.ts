import { LRUCache } from 'lru-cache'
import { addressPrefix } from '@fairlead/gateway-core/authentication/failed-attempts'
import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { TokenBucket } from '@fairlead/gateway-core/admission/token-bucket'

const mostAddresses = 20_000
const mostValid = 20_000
const lookupsPerSecond = 20
const burst = 200

/** Bounds how often an address may have a key or a cookie looked up in the database. */
export interface LookupLimit {
  /**
   * Takes a look-up, before the database is asked.
   *
   * @returns after how many milliseconds the address may try again; 0 when it may now
   */
  take(address: string, secret: string): number
  /** The look-up has found a valid secret: it passes from now on, and those of the address count anew. */
  succeeded(address: string, secret: string): void
}

/**
 * Makes the limit: twenty look-ups a second and two hundred at once for an address whose secrets open nothing, so that a
 * flood of made-up ones costs no look-up each. Secrets that were valid the last time pass all the same. The addresses of an IPv6 network of 64 bits count together.
 */
export function createLookupLimit(now: () => number = () => performance.now()): LookupLimit {
  const buckets = new LRUCache<string, TokenBucket>({ max: mostAddresses })
  // By digest; each is looked up all the same, so one that was revoked opens nothing.
  const valid = new LRUCache<string, true>({ max: mostValid })
  return {
    take: (address, secret) => {
      if (valid.has(sha256Hex(secret))) return 0
      const network = addressPrefix(address)
      const bucket = buckets.get(network) ?? new TokenBucket(lookupsPerSecond, burst, now())
      buckets.set(network, bucket)
      return bucket.take(now())
    },
    succeeded: (address, secret) => {
      valid.set(sha256Hex(secret), true)
      buckets.delete(addressPrefix(address))
    },
  }
}
