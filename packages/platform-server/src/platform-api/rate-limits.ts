import { createLruCache } from '@fairlead/runtime'

/** Maximum number of requests per caller and minute. */
export interface RatePolicy {
  readonly name: string
  readonly quota: number
}

/** State of a policy for one caller. */
export interface RateState {
  readonly isAllowed: boolean
  /** Headers of the response, whether or not the request is allowed. */
  readonly headers: Readonly<Record<string, string>>
}

/** Counts requests by caller and policy. */
export interface RateLimits {
  take(policy: RatePolicy, caller: string): RateState
}

/** For all operations without a separate policy. */
export const defaultPolicy: RatePolicy = { name: 'default', quota: 600 }
/** For reports, which are more expensive for the database. */
export const reportingPolicy: RatePolicy = { name: 'reporting', quota: 60 }

interface Window {
  used: number
  readonly endsAt: number
}

const windowSeconds = 60
const maxCallers = 20_000

/**
 * Creates in-memory counters for this process, in windows of one minute that start with a caller's first request.
 *
 * @see draft-ietf-httpapi-ratelimit-headers, for the headers
 */
export function createRateLimits(now: () => number = () => performance.now()): RateLimits {
  const windows = createLruCache<Window>({ maxEntries: maxCallers })
  return {
    take({ name, quota }, caller) {
      const key = `${name} ${caller}`
      const current = windows.get(key)
      const isOpen = current !== undefined && current.endsAt > now()
      const window = isOpen ? current : { used: 0, endsAt: now() + windowSeconds * 1_000 }
      if (!isOpen) windows.set(key, window)
      const isAllowed = window.used < quota
      if (isAllowed) window.used += 1
      const reset = Math.max(1, Math.ceil((window.endsAt - now()) / 1_000))
      return {
        isAllowed,
        headers: {
          'ratelimit-policy': `"${name}";q=${quota};w=${windowSeconds}`,
          ratelimit: `"${name}";r=${Math.max(0, quota - window.used)};t=${reset}`,
          ...(!isAllowed && { 'retry-after': String(reset) }),
        },
      }
    },
  }
}
