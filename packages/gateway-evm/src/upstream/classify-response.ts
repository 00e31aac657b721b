import { isTracerText, mayHoldCallerText } from './caller-text.ts'
import { normalizeError, type NodeError } from './upstream-errors.ts'
import { isRecord, parseJson } from '@fairlead/gateway-core/json'
import { rpcCodes } from '../rpc-codes.ts'
import { isRateRefusal } from './rate-refusal.ts'

/**
 * What an answer is worth: `good` is the answer of any upstream; the others may have a better one. `absent`: there is no
 * such block or transaction, or not yet; `pruned`: the history is gone here; `not offered`: the method is not there;
 * `busy`: too many calls; `in the chain`: the transaction is known, or one after it; `unreadable`: no JSON-RPC.
 */
export type ResponseClass =
  | 'good'
  | 'absent'
  | 'pruned'
  | 'not offered'
  | 'busy'
  | 'in the chain'
  | 'unreadable'

const absentWordings =
  /^(?:header|block|unknown block|resource|transaction)? ?not found\b|^unknown block\b|^block .{0,80}\bnot (?:found|known)\b/i
const knownWordings =
  /\b(?:already known|already imported|already exists|alreadyknown|known transaction|nonce too low|nonce is too low|oldnonce|invalid nonce)\b/i

// Null is an answer to these that another upstream may better.
const lookups = /^(?:eth|erigon)_get(?:Block|Header|Transaction|RawTransaction|Uncle)/

/**
 * Judges a whole answer.
 *
 * @param method - that was called
 * @param latin1 - the body, with a character for each byte
 */
export function classifyResponse(method: string, latin1: string): ResponseClass {
  const answer = parseJson(latin1)
  if (!isRecord(answer)) return 'unreadable'
  const { result, error } = answer
  if (typeof error === 'object' && error !== null) return judgeError(method, error)
  if (result === undefined) return 'unreadable'
  return result === null && lookups.test(method) ? 'absent' : 'good'
}

/** Code and method decide; the wording only where the upstream itself has chosen it. */
function judgeError(method: string, { code, message }: { code?: unknown; message?: unknown }): ResponseClass {
  const written: NodeError = {
    code: typeof code === 'number' ? code : rpcCodes.internalError,
    message: typeof message === 'string' ? message : '',
  }
  if (written.code === 3 || isTracerText(method, written.message)) return 'good'
  if (method === 'eth_sendRawTransaction' && knownWordings.test(written.message)) return 'in the chain'
  if (isRateRefusal(method, written)) return 'busy'
  switch (normalizeError(written, method).code) {
    case rpcCodes.methodNotFound:
      return mayHoldCallerText(method, written) ? 'good' : 'not offered'
    case rpcCodes.prunedHistory:
      return 'pruned'
    case rpcCodes.resourceNotFound:
    case -39001:
      return 'absent'
    default:
      return absentWordings.test(written.message) ? 'absent' : 'good'
  }
}
