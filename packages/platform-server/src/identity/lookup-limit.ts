import { createLruCache } from '@fairlead/runtime'
import { addressPrefix } from '@fairlead/gateway-core/authentication/failed-attempts'
import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { TokenBucket } from '@fairlead/gateway-core/admission/token-bucket'

const maxAddresses = 20_000
const maxValid = 20_000
const lookupsPerSecond = 20
const burst = 200

/** Limits how often an IP address can trigger a database lookup of a key or cookie. */
export interface LookupLimit {
  /**
   * Counts a lookup before the database is queried.
   *
   * @returns milliseconds until the address may try again; 0 when it may try now
   */
  take(address: string, secret: string): number
  /**
   * Records that a lookup found a valid secret: the secret passes from now on, and the count of the address restarts.
   */
  succeeded(address: string, secret: string): void
}

/**
 * Creates the limit: twenty lookups per second with a burst of two hundred for an IP address without valid secrets, so
 * that a flood of invented secrets does not cause a lookup each. Secrets that were valid at their last lookup always
 * pass. The addresses of an IPv6 /64 network count together.
 */
export function createLookupLimit(now: () => number = () => performance.now()): LookupLimit {
  const buckets = createLruCache<TokenBucket>({ maxEntries: maxAddresses })
  // Keyed by digest. Each secret is still looked up, so a revoked one grants no access.
  const valid = createLruCache<true>({ maxEntries: maxValid })
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
