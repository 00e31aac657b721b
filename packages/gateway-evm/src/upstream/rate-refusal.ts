import { latencyClass } from '../methods/latency-class.ts'
import { mayHoldCallerText } from './caller-text.ts'
import type { NodeError } from './upstream-errors.ts'
import { rpcCodes } from '../rpc-codes.ts'

/** Alchemy and others repeat the HTTP status. */
const tooManyRequests = 429

// Their messages quote the request.
const requestCodes: ReadonlySet<number> = new Set([
  rpcCodes.parseError,
  rpcCodes.invalidRequest,
  rpcCodes.methodNotFound,
])

// In the first clause of the message: what stands behind a colon may be a quotation.
const wordings: readonly RegExp[] = [
  // "rate limit exceeded", "over rate limit", "daily request count exceeded, request rate limited"
  /^(?:error: )?[^:]{0,60}?\brate.?limit/i,
  /^(?:error: )?[^:]{0,40}?\btoo many requests?\b/i,
  // "project ID request rate exceeded", "50/second request limit reached", "You've exceeded the RPS limit"
  /^[^:]{0,60}?\b(?:request rate|requests? per (?:second|minute)|(?:request|rps|call) limit|throughput limit)\b/i,
  /^[^:]{0,60}?\bcompute units\b/i,
  // "Your app has exceeded its concurrent requests capacity"
  /^[^:]{0,40}?\bexceeded (?:its|your|the) [^:]{0,40}\b(?:capacity|quota|throughput)\b/i,
  // This service in front of another one of its kind.
  /^The nodes take no more calls at the moment\b|^The \w+ may make \d+ calls per second\b/,
]

/**
 * Tells whether an upstream has refused a call because it gets too many.
 *
 * A caller must not be able to have its own text taken for that: the upstream would be paused for everybody. The code
 * comes first, then the method, and the wording last.
 *
 * @param method - the method that was called; empty for a batch
 * @param error - as the upstream wrote it
 */
export function isRateRefusal(method: string, error: NodeError): boolean {
  const { code, message } = error
  if (code === tooManyRequests) return true
  if (requestCodes.has(code) || mayHoldCallerText(method, error)) return false
  // What such a call costs does not depend on its parameters, so that there is no other limit to exceed.
  if (code === rpcCodes.limitExceeded && latencyClass(method) === 'quick') return true
  return wordings.some((wording) => wording.test(message))
}
