import type { Rate } from '../grants/limits.ts'
import type { Rejection } from './types.ts'

/** The owner of a limit, as rejections name it. */
export type Owner = 'credential' | 'node' | 'project'

/** The rejection by an access rule. It names the kind of rule and never reveals the list. */
export const ruleRejections = {
  origin: forbidden('origin', 'The access rules of this node do not allow this origin.'),
  ip: forbidden('ip', 'The access rules of this node do not allow this IP address.'),
  method: forbidden('method', 'The access rules of this node do not allow this method.'),
} as const

function forbidden(rule: 'origin' | 'ip' | 'method', reason: string): Rejection {
  return { status: 403, reason, data: { rule } }
}

/**
 * The rejection of a call that exceeds a rate limit.
 *
 * @param waitMs - time until the next call is allowed
 * @param method - the method pattern, for a limit that applies to some methods only
 */
export function rateLimited(owner: Owner, rate: Rate, waitMs: number, method?: string): Rejection {
  const limit = rate.requestsPerSecond
  const calls = `${limit} calls per second`
  return {
    status: 429,
    reason:
      method === undefined
        ? `The ${owner} exceeded its rate limit of ${calls}.`
        : `The ${owner} exceeded its limit of ${calls} for ${method}.`,
    data: { reason: 'rate', limit, window_ms: 1_000, retry_after_ms: Math.max(1, Math.ceil(waitMs)) },
    retryAfterSeconds: retryAfterSeconds(waitMs),
  }
}

/** The rejection of a call that exceeds a quota. */
export function quotaExceeded(owner: Owner, subject: string, resetsAt: number): Rejection {
  const data = { reason: 'quota', resets_at: new Date(resetsAt).toISOString() } as const
  return { status: 403, reason: `The ${owner} has used up its quota of ${subject}.`, data }
}

/** The rejection of a call that gets no concurrency slot. */
export function busy(reason: string): Rejection {
  return { status: 503, reason, data: { reason: 'busy', retry_after_ms: 1_000 }, retryAfterSeconds: 1 }
}

/** Milliseconds as a value of `Retry-After`: 1 to 60 whole seconds. */
export function retryAfterSeconds(ms: number): number {
  return Math.min(60, Math.max(1, Math.ceil(ms / 1_000)))
}
