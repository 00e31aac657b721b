import { isTracerText } from './caller-text.ts'
import { rpcCodes } from '../rpc-codes.ts'
import type { ErrorObject } from './rpc-errors.ts'

/** An error object as sent by an upstream. */
export interface NodeError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Replaces members of other types than JSON-RPC requires. */
export function toNodeError({ code, message, data }: ErrorObject): NodeError {
  return {
    code: typeof code === 'number' ? code : rpcCodes.internalError,
    message: typeof message === 'string' ? message : 'The upstream returned an error.',
    ...(data !== undefined && { data }),
  }
}

/**
 * Normalizes an error of an upstream to the code of the specification, so that all execution clients report the same
 * errors.
 *
 * @param error - as sent by the upstream
 * @param method - method of the call
 * @returns the same object when no change is needed
 * @see EIP-1474, EIP-4444
 */
export function normalizeError(error: NodeError, method: string): NodeError {
  if (isTracerText(method, error.message)) return error
  return (
    asReverted(error) ?? asNotOffered(error, method) ?? asBlockOutOfReach(error) ?? asPruned(error) ?? error
  )
}

const revertCodes = [3, rpcCodes.serverError, rpcCodes.executionError, rpcCodes.internalError]

/** Normalizes a revert: `data` contains the bytes that the contract returned, and the message is printable. */
function asReverted(error: NodeError): NodeError | undefined {
  const { code, message, data } = error
  const bytes = typeof data === 'string' ? /(?:^|^Reverted )(0x[0-9a-f]*)$/i.exec(data)?.[1] : undefined
  const isRevert = code === 3 || (revertCodes.includes(code) && reportsRevert(message, data))
  if (!isRevert) return undefined
  // Some execution clients decode unknown data and print raw bytes.
  const isPrintable = /^execution reverted/i.test(message) && !/custom error 0x|\p{Cc}|\uFFFD/u.test(message)
  if (code === 3 && isPrintable && (bytes === data || data === undefined)) return error
  const clean = isPrintable ? message : 'execution reverted'
  return { code: 3, message: clean, ...(data !== undefined && { data: bytes ?? data }) }
}

function reportsRevert(message: string, data: unknown): boolean {
  if (/^execution reverted/i.test(message)) return true
  return /^VM execution error/i.test(message) && typeof data === 'string' && /^Reverted\b/.test(data)
}

const notOfferedCodes: readonly number[] = [rpcCodes.methodNotFound, -32604]

// Besu uses this code for a transaction whose sender cannot pay for it.
const isNotSupported = (code: number, method: string) =>
  code === rpcCodes.methodNotSupported && !method.startsWith('eth_send')

const notOfferedWordings = [
  /^(?:the )?method not (?:found|supported|enabled)\b/i,
  /^(?:the )?method \S+ (?:is )?(?:does not exist|not (?:found|supported|available))/i,
  /^the method is currently not implemented: \w+$/i,
  /^the method has been deprecated: \w+$/i,
  /^unsupported method\b/i,
  /^(?:not implemented|unimplemented)$/i,
]

/** Normalizes the error for a missing method. Execution clients use five codes and even more messages for it. */
function asNotOffered({ code, message }: NodeError, method: string): NodeError | undefined {
  const isServerFault = code <= -32000 && code >= -32700
  const reportsNotOffered = isServerFault && notOfferedWordings.some((wording) => wording.test(message))
  if (!reportsNotOffered && !notOfferedCodes.includes(code) && !isNotSupported(code, method)) return undefined
  return { code: rpcCodes.methodNotFound, message: `This node does not offer ${method}.` }
}

/** Normalizes the error for a block after the chain head, or with pruned state. Anvil uses one message for both. */
function asBlockOutOfReach({ message }: NodeError): NodeError | undefined {
  const [, head, requested] =
    /^BlockOutOfRangeError: block height is (\d{1,20}) but requested was (\d{1,20})\b/.exec(message) ?? []
  if (head === undefined || requested === undefined) return undefined
  return BigInt(requested) > BigInt(head)
    ? { code: rpcCodes.resourceNotFound, message: `The block ${requested} is not known.` }
    : { code: rpcCodes.prunedHistory, message: `The state of block ${requested} is pruned.` }
}

const prunedWordings = [
  /^pruned history unavailable/i,
  /^missing trie node [0-9a-f]{64}\b/i,
  /^(?:required )?historical state (?:\S+ )?(?:is )?(?:unavailable|not available)/i,
  /\bold data not available due to pruning\b/i,
  /\bhistory has been pruned\b/i,
  /\bdata before txNum=\d+ is not available\b/i,
  /^state at block #?\d+ is pruned/i,
  /^No state available for block\b/i,
]

/** Normalizes the error for pruned history. The message is unchanged, because it contains the start of the available history. */
function asPruned(error: NodeError): NodeError | undefined {
  const { code, message } = error
  if (code === rpcCodes.prunedHistory || !prunedWordings.some((wording) => wording.test(message)))
    return undefined
  return { ...error, code: rpcCodes.prunedHistory }
}
