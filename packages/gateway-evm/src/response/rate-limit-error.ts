import type { LatencyClass } from '@fairlead/gateway-core/upstream/latency'
import { mayContainCallerText } from './caller-text.ts'
import type { NodeError } from './normalize-error.ts'
import { isRangeMethod } from '../methods/range-query.ts'
import { rpcCodes } from '../rpc-codes.ts'

/** Error code of Alchemy and others, which repeats the HTTP status. */
const tooManyRequests = 429

// The messages of these errors quote the request.
const requestCodes: ReadonlySet<number> = new Set([
  rpcCodes.parseError,
  rpcCodes.invalidRequest,
  rpcCodes.methodNotFound,
])

// Matches only the first clause of the message: the text after a colon may be a quotation.
const wordings: readonly RegExp[] = [
  // "rate limit exceeded", "over rate limit", "daily request count exceeded, request rate limited"; another Fairlead
  // gateway: "All upstreams of this node have reached their rate limit."
  /^(?:error: )?[^:]{0,60}?\brate.?limit/i,
  /^(?:error: )?[^:]{0,40}?\btoo many requests?\b/i,
  // "project ID request rate exceeded", "50/second request limit reached", "You've exceeded the RPS limit"
  /^[^:]{0,60}?\b(?:request rate|requests? per (?:second|minute)|(?:request|rps|call) limit|throughput limit)\b/i,
  /^[^:]{0,60}?\bcompute units\b/i,
  // "Your app has exceeded its concurrent requests capacity"
  /^[^:]{0,40}?\bexceeded (?:its|your|the) [^:]{0,40}\b(?:capacity|quota|throughput)\b/i,
]

// "eth_getLogs request limit: at most 500 blocks"
const queryWordings = /\b(?:blocks?|ranges?|results?)\b/i

/**
 * Whether an upstream has rejected a call because it receives too many.
 *
 * A caller must not be able to trigger this with its own text: the upstream would be paused for all callers. The code
 * has priority, then the method, then the message.
 *
 * @param method - the method that was called; empty for a batch
 * @param latencyClass - of the method
 * @param error - as sent by the upstream
 */
export function isRateLimitError(method: string, latencyClass: LatencyClass, error: NodeError): boolean {
  const { code, message } = error
  if (code === tooManyRequests) return true
  if (requestCodes.has(code) || mayContainCallerText(method, error)) return false
  // The cost of such a call does not depend on its params, so there is no other limit that it could exceed.
  if (code === rpcCodes.limitExceeded && latencyClass === 'short') return true
  if (isRangeMethod(method) && queryWordings.test(message)) return false
  return wordings.some((wording) => wording.test(message))
}
