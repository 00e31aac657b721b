import { mendError } from '../node-error.ts'
import { rpcCodes } from '../../json-rpc/rpc-failure.ts'

/**
 * What an answer is worth: `good` is the answer of any upstream; the others may have a better one. `absent`: there is no
 * such block or transaction, or not yet; `pruned`: the history is gone here; `not offered`: the method is not there;
 * `busy`: too many calls; `in the chain`: the transaction is known, or one after it; `unreadable`: no JSON-RPC.
 */
export type Verdict = 'good' | 'absent' | 'pruned' | 'not offered' | 'busy' | 'in the chain' | 'unreadable'

const busyWordings =
  /\b(?:rate limit|too many requests|request rate|requests per second|compute units|exceeded (?:its|your|the) .{0,40}\b(?:capacity|quota|throughput))/i
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
export function judgeAnswer(method: string, latin1: string): Verdict {
  const answer = parsed(latin1)
  if (answer === undefined) return 'unreadable'
  const { result, error } = answer
  if (typeof error === 'object' && error !== null) return judgeError(method, error)
  if (result === undefined) return 'unreadable'
  return result === null && lookups.test(method) ? 'absent' : 'good'
}

function judgeError(method: string, { code, message }: { code?: unknown; message?: unknown }): Verdict {
  const written = {
    code: typeof code === 'number' ? code : rpcCodes.internalError,
    message: typeof message === 'string' ? message : '',
  }
  if (method === 'eth_sendRawTransaction' && knownWordings.test(written.message)) return 'in the chain'
  if (written.code === 429 || busyWordings.test(written.message)) return 'busy'
  switch (mendError(written, method).code) {
    case rpcCodes.methodNotFound:
      return 'not offered'
    case rpcCodes.prunedHistory:
      return 'pruned'
    case rpcCodes.resourceNotFound:
    case -39001:
      return 'absent'
    default:
      return absentWordings.test(written.message) ? 'absent' : 'good'
  }
}

interface Answer {
  readonly result?: unknown
  readonly error?: unknown
}

function parsed(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
