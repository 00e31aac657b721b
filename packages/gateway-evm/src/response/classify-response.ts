import { isTracerText, mayContainCallerText } from './caller-text.ts'
import { type NodeError, normalizeError, toNodeError } from './normalize-error.ts'
import type { ErrorObject } from './rpc-errors.ts'
import { isRecord, parseJson } from '@fairlead/gateway-core/json'
import { rpcCodes } from '../rpc-codes.ts'
import { type MethodPolicy, unknownPolicy } from '../methods/method-policy.ts'
import { isRangeMethod, isValidRangeQuery } from '../methods/range-query.ts'
import { isRateLimitError } from './rate-limit-error.ts'

/**
 * Class of a response. `good`: any upstream would respond the same; for the other classes, another upstream may have a
 * better response. `absent`: the block or transaction does not exist, or not yet; `pruned`: this upstream has pruned
 * the history; `not offered`: this upstream does not have the method; `busy`: too many calls; `too large`: the query
 * exceeds a limit of this upstream; `in the chain`: the transaction, or one after it, is already known; `unreadable`:
 * not JSON-RPC.
 */
export type ResponseClass =
  | 'good'
  | 'absent'
  | 'pruned'
  | 'not offered'
  | 'busy'
  | 'too large'
  | 'in the chain'
  | 'unreadable'

/** The parts of a call on which the class of its response depends. */
export interface ClassifiedCall {
  readonly method: string
  readonly policy: Pick<MethodPolicy, 'latencyClass' | 'resending'>
  readonly params?: readonly unknown[]
}

/** A single response to a batch is not classified by a method. */
export const unknownCall: ClassifiedCall = { method: '', policy: unknownPolicy }

const absentWordings =
  /^(?:header|block|unknown block|resource|transaction)? ?not found\b|^unknown block\b|^block .{0,80}\bnot (?:found|known)\b/i
const alreadyKnownWordings =
  /\b(?:already known|already imported|already exists|alreadyknown|known transaction|nonce too low|nonce is too low|oldnonce|invalid nonce)\b/i

// Methods for which another upstream may have a better response than null.
const lookups = /^(?:eth|erigon)_get(?:Block|Header|Transaction|RawTransaction|Uncle)/

/**
 * Classifies a complete response.
 *
 * @param call - the call
 * @param latin1 - the body, with one character per byte
 */
export function classifyResponse(call: ClassifiedCall, latin1: string): ResponseClass {
  const response = parseJson(latin1)
  if (!isRecord(response)) return 'unreadable'
  const { result, error } = response
  if (typeof error === 'object' && error !== null) return classifyError(call, error)
  if (result === undefined) return 'unreadable'
  return result === null && lookups.test(call.method) ? 'absent' : 'good'
}

/** Classifies an error by its code and method. The message counts only where the upstream itself has chosen it. */
export function classifyError(call: ClassifiedCall, { code, message }: ErrorObject): ResponseClass {
  const { method, policy } = call
  const written = toNodeError({ code, message })
  if (written.code === 3 || isTracerText(method, written.message)) return 'good'
  if (method === 'eth_sendRawTransaction' && alreadyKnownWordings.test(written.message)) return 'in the chain'
  if (isRateLimitError(method, policy.latencyClass, written)) return 'busy'
  switch (normalizeError(written, method).code) {
    case rpcCodes.methodNotFound:
      return mayContainCallerText(method, written) ? 'good' : 'not offered'
    case rpcCodes.prunedHistory:
      return 'pruned'
    case rpcCodes.resourceNotFound:
    case -39001:
      return 'absent'
    default:
      if (absentWordings.test(written.message)) return 'absent'
      return isTooLarge(call, written) ? 'too large' : 'good'
  }
}

// A smaller query for blocks that do not exist yet has no better result.
const notYetWordings = /\b(?:beyond|future|pending)\b/i

/**
 * Whether an upstream has rejected a call that only reads because of a limit. The wording is different everywhere, so
 * every error counts for a query over a range of blocks whose params are valid.
 */
function isTooLarge(
  { method, policy, params = [] }: ClassifiedCall,
  { code, message }: Pick<NodeError, 'code' | 'message'>,
): boolean {
  if (policy.resending !== 'always') return false
  if (code === rpcCodes.limitExceeded) return true
  if (!isRangeMethod(method) || code === rpcCodes.parseError || notYetWordings.test(message)) return false
  return isValidRangeQuery(method, params)
}
