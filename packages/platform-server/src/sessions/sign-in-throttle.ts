import { createLruCache } from '@fairlead/runtime'
import { addressPrefix } from '@fairlead/gateway-core/authentication/failed-attempts'

/** Limits password guessing. */
export interface SignInThrottle {
  /**
   * Counts an attempt before the password is checked, so that concurrent attempts count too.
   *
   * @param address - IP address of the client; addresses of one IPv6 /64 network count together
   * @param account - the account of the attempt
   * @returns seconds until the client may try again; 0 when it may try now
   */
  attempt(address: string, account: string): number
  /** Records a successful sign-in, which clears the attempts on the account from the client's network. */
  succeeded(address: string, account: string): void
}

interface Attempts {
  count: number
  readonly since: number
}

const windowMs = 5 * 60_000
const maxFromNetwork = 10
const maxPerNetwork = 30
const maxPerAccount = 100
const maxEntries = 20_000
const trustedMs = 30 * 24 * 3_600_000

/**
 * Creates an in-memory throttle. Limits within five minutes: ten attempts on an account from one network, thirty from
 * one network on all accounts, and a hundred on an account from all networks. The last limit does not apply to networks
 * from which the user signed in within the last thirty days. Wrong passwords from other networks thus never lock users
 * out of their usual networks.
 */
export function createSignInThrottle(now: () => number = () => performance.now()): SignInThrottle {
  const attempts = createLruCache<Attempts>({ maxEntries })
  const trusted = createLruCache<number>({ maxEntries })
  const current = (key: string): Attempts => {
    const existing = attempts.get(key)
    if (existing !== undefined && now() - existing.since < windowMs) return existing
    const created = { count: 0, since: now() }
    attempts.set(key, created)
    return created
  }
  const isTrusted = (pair: string) => now() - (trusted.get(pair) ?? Number.NEGATIVE_INFINITY) < trustedMs
  return {
    attempt(address, account) {
      const network = addressPrefix(address)
      const pair = `${network} ${account}`
      const counted = [
        { attempts: current(`pair ${pair}`), max: maxFromNetwork },
        { attempts: current(`network ${network}`), max: maxPerNetwork },
        ...(isTrusted(pair) ? [] : [{ attempts: current(`account ${account}`), max: maxPerAccount }]),
      ]
      const full = counted.filter((entry) => entry.attempts.count >= entry.max)
      if (full.length > 0) {
        const end = Math.max(...full.map((entry) => entry.attempts.since + windowMs))
        return Math.max(1, Math.ceil((end - now()) / 1_000))
      }
      for (const entry of counted) entry.attempts.count += 1
      return 0
    },
    succeeded(address, account) {
      const network = addressPrefix(address)
      const pair = `${network} ${account}`
      trusted.set(pair, now())
      attempts.delete(`pair ${pair}`)
      // Only this attempt is subtracted: other clients may still be trying, from the same network or on the same
      // account.
      for (const key of [`network ${network}`, `account ${account}`]) {
        const shared = attempts.get(key)
        if (shared !== undefined && shared.count > 0) shared.count -= 1
      }
    },
  }
}
