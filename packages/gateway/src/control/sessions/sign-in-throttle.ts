import { LRUCache } from 'lru-cache'
import { networkOf } from '../../access/authenticate/guessing.ts'

/** Slows down those who try passwords out. */
export interface SignInThrottle {
  /**
   * Counts an attempt before it is looked at, so that many at once count too.
   *
   * @param address - of the client; those of an IPv6 network of 64 bits count together
   * @param account - whose password is tried
   * @returns after how many seconds the client may try again; 0 when it may try now
   */
  attempt(address: string, account: string): number
  /** Forgets the attempts on an account: its user has come in. */
  succeeded(address: string, account: string): void
}

interface Tries {
  count: number
  readonly since: number
}

const windowMs = 5 * 60_000
const mostOfAccount = 10
const mostOfAddress = 30
const mostRemembered = 20_000

/** Makes a throttle of its own memory: ten attempts on an account and thirty from an address, each in five minutes. */
export function createSignInThrottle(now: () => number = () => performance.now()): SignInThrottle {
  const tries = new LRUCache<string, Tries>({ max: mostRemembered })
  const current = (key: string): Tries => {
    const known = tries.get(key)
    if (known !== undefined && now() - known.since < windowMs) return known
    const fresh = { count: 0, since: now() }
    tries.set(key, fresh)
    return fresh
  }
  const keysOf = (address: string, account: string) =>
    [
      [`account ${account}`, mostOfAccount],
      [`address ${networkOf(address)}`, mostOfAddress],
    ] as const
  return {
    attempt(address, account) {
      const counted = keysOf(address, account).map(([key, most]) => ({ tries: current(key), most }))
      const full = counted.filter((one) => one.tries.count >= one.most)
      if (full.length > 0) {
        const end = Math.max(...full.map((one) => one.tries.since + windowMs))
        return Math.max(1, Math.ceil((end - now()) / 1_000))
      }
      for (const one of counted) one.tries.count += 1
      return 0
    },
    succeeded(address, account) {
      const [[ofAccount], [ofAddress]] = keysOf(address, account) as [
        readonly [string, number],
        readonly [string, number],
      ]
      tries.delete(ofAccount)
      // Others behind the same address may still be trying.
      const shared = tries.get(ofAddress)
      if (shared !== undefined && shared.count > 0) shared.count -= 1
    },
  }
}
