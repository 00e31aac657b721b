import { LRUCache } from 'lru-cache'

/** How many requests one caller may send in a minute. */
export interface RatePolicy {
  readonly name: string
  readonly quota: number
}

/** What is left of a policy for one caller. */
export interface RateState {
  readonly isAllowed: boolean
  /** For the answer, whether allowed or not. */
  readonly headers: Readonly<Record<string, string>>
}

/** Counts requests by caller and policy. */
export interface RateLimits {
  take(policy: RatePolicy, caller: string): RateState
}

/** For everything but what has a policy of its own. */
export const defaultPolicy: RatePolicy = { name: 'default', quota: 600 }
/** For reports, which cost the database more. */
export const reportingPolicy: RatePolicy = { name: 'reporting', quota: 60 }

interface Window {
  used: number
  readonly endsAt: number
}

const windowSeconds = 60
const mostCallers = 20_000

/**
 * Makes counters in the memory of this process, in windows of a minute that begin with a caller's first request.
 *
 * @see draft-ietf-httpapi-ratelimit-headers, for the headers
 */
export function createRateLimits(now: () => number = () => performance.now()): RateLimits {
  const windows = new LRUCache<string, Window>({ max: mostCallers })
  return {
    take({ name, quota }, caller) {
      const key = `${name} ${caller}`
      const known = windows.get(key)
      const isOpen = known !== undefined && known.endsAt > now()
      const window = isOpen ? known : { used: 0, endsAt: now() + windowSeconds * 1_000 }
      if (!isOpen) windows.set(key, window)
      const isAllowed = window.used < quota
      if (isAllowed) window.used += 1
      const reset = Math.max(1, Math.ceil((window.endsAt - now()) / 1_000))
      return {
        isAllowed,
        headers: {
          'ratelimit-policy': `"${name}";q=${quota};w=${windowSeconds}`,
          ratelimit: `"${name}";r=${quota - window.used};t=${reset}`,
          ...(!isAllowed && { 'retry-after': String(reset) }),
        },
      }
    },
  }
}
