import type { ProbeResponse } from './read-response.ts'

/**
 * What a response reveals about a method: `available`: the method ran, possibly with an error; `missing`: the upstream
 * does not have it; `refused`: the credential does not allow it; `failed`: unknown; `skipped`: it was not called.
 */
export type Outcome = 'available' | 'missing' | 'refused' | 'failed' | 'skipped'

/** An outcome, and a note on the kind of response in the gateway's own words. The note is empty for a plain result. */
export interface Classification {
  readonly outcome: Outcome
  readonly note: string
  /** Code of the JSON-RPC error. */
  readonly code?: number | undefined
}

// Method not found in JSON-RPC 2.0, method not supported in EIP-1474.
const missingCodes = new Set<number | undefined>([-32601, -32004])

// Wordings for a method or a group of methods: `the method is currently not supported`, `unknown rpc method`.
const group = '(?:method|module|namespace|api)s?(?! key)'
const absence =
  "(?:(?:does|do|has)(?:n't| not) (?:exist|been)|(?:is |are |was )?(?:currently |yet )?not[ -](?:exist|available|supported|" +
  'enabled|offered|white-?listed|found|implemented|allowed|permitted)|(?:is |are )?(?:unavailable|unsupported|disabled|' +
  'unimplemented|blocked))'
const absentAdjective =
  '(?:unsupported|unknown|unimplemented|unavailable|no such|not supported|invalid|disallowed)'
const fullMessage =
  /^\W*(not implemented|unimplemented|not (yet )?supported|unsupported( method)?|method not found)\W*$/i
const planLimits =
  /\b(upgrade (to|your|now|for)|(your|current|free|paid|growth|higher) plan|(free)?-?tier|paid feature|billing|contact sales)\b/i
const credentials =
  /\b(unauthori[sz]ed|not authori[sz]ed|forbidden|permission denied|access denied|authentication|api[- ]key|invalid (token|key|project id)|must be authenticated)\b/i
const rateLimits =
  /rate.?limit|too many (requests|connections)|requests? per (second|minute|day)|exceeded (its|your|the) .*(capacity|throughput|quota|requests|compute)|throttl|capacity exceeded/i

// Meanings of the error codes, in the standard, in EIP-1474 and as upstreams use them.
const notes: Readonly<Record<number, string>> = {
  3: 'execution reverted',
  4444: 'history not available',
  [-32000]: 'input rejected',
  [-32001]: 'unknown object',
  [-32002]: 'resource unavailable',
  [-32003]: 'transaction rejected',
  [-32005]: 'limit exceeded',
  [-32602]: 'params rejected',
  [-32603]: 'internal error',
  [-39001]: 'unknown block',
}

/** A method that no upstream has. The response to it shows how this upstream reports a missing method. */
export const nonexistentMethod = 'eth_thisMethodDoesNotExist'

/**
 * Classifies the response to a method call.
 *
 * The error codes alone are not sufficient: upstreams and the proxies in front of them use a dozen codes for a missing
 * method, and only the message distinguishes it from a failed call.
 *
 * @param method - the method that was called
 * @param response - its response
 * @param decoy - response to {@link nonexistentMethod}, if that was called
 */
export function classifyResponse(
  method: string,
  response: ProbeResponse,
  decoy?: ProbeResponse,
): Classification {
  const { status, hasResult, error } = response
  if (hasResult) return { outcome: 'available', note: '' }
  // The contract has chosen the text of its revert.
  if (error?.code === 3) return { outcome: 'available', note: 'execution reverted', code: 3 }
  if (isRateLimited(response)) return { outcome: 'failed', note: 'rate limited', code: error?.code }
  if (error === undefined) return classifyFailure(response)
  const { code, message } = error
  if (planLimits.test(message)) return { outcome: 'refused', note: 'not part of the plan', code }
  const refused: Classification = { outcome: 'refused', note: 'credential rejected', code }
  if (!missingCodes.has(code) && credentials.test(message)) return refused
  if (missingCodes.has(code) || reportsMissing(method, message) || isLikeDecoy(method, response, decoy)) {
    return { outcome: 'missing', note: 'not offered by the node', code }
  }
  if (status === 401 || status === 403) return refused
  if (status !== undefined && status >= 500) return { outcome: 'failed', note: `HTTP ${status}`, code }
  return { outcome: 'available', note: notes[code ?? 0] ?? 'error', code }
}

/** Whether the upstream rejected the call because of a rate limit. */
export function isRateLimited({ status, error }: ProbeResponse): boolean {
  return status === 429 || (error !== undefined && error.code !== 3 && rateLimits.test(error.message))
}

function classifyFailure({ status, problem }: ProbeResponse): Classification {
  if (status === 401 || status === 403) return { outcome: 'refused', note: 'credential rejected' }
  if (status !== undefined && status !== 200) return { outcome: 'failed', note: `HTTP ${status}` }
  if (problem === 'timeout') return { outcome: 'failed', note: 'no response in time' }
  return { outcome: 'failed', note: problem === 'unreachable' ? 'unreachable' : 'not JSON-RPC' }
}

function reportsMissing(method: string, message: string): boolean {
  if (fullMessage.test(message)) return true
  // Error of an upstream that parses the method as a variant of an enumeration.
  if (message.includes(`unknown variant \`${method}\``)) return true
  const subject = `\\b(?:${group}|${method})\\b`
  return (
    new RegExp(`${subject}\\W{1,3}(?:${method}\\b\\W{0,3})?${absence}`, 'i').test(message) ||
    new RegExp(`\\b${absentAdjective}\\W{1,2}(?:json-?)?(?:rpc )?${subject}`, 'i').test(message)
  )
}

function isLikeDecoy(method: string, { error }: ProbeResponse, decoy: ProbeResponse | undefined): boolean {
  if (!error || !decoy?.error || error.code !== decoy.error.code) return false
  return error.message.replaceAll(method, nonexistentMethod) === decoy.error.message
}
