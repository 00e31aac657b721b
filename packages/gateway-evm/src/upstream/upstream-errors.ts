import { isTracerText } from './caller-text.ts'
import { rpcCodes } from '../rpc-codes.ts'

/** An error object as nodes write it. */
export interface NodeError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/**
 * Gives an error of a node the code that the specification has for it. Clients of every kind then say the same.
 *
 * @param error - as the node wrote it
 * @param method - that was called
 * @returns the same object when there is nothing to mend
 * @see EIP-1474, EIP-4444
 */
export function normalizeError(error: NodeError, method: string): NodeError {
  if (isTracerText(method, error.message)) return error
  return (
    asReverted(error) ?? asNotOffered(error, method) ?? asBlockOutOfReach(error) ?? asPruned(error) ?? error
  )
}

const revertCodes = [3, rpcCodes.serverError, rpcCodes.executionError, rpcCodes.internalError]

/** A revert carries the bytes that the contract gave in `data`, and a message that can be printed. */
function asReverted(error: NodeError): NodeError | undefined {
  const { code, message, data } = error
  const bytes = typeof data === 'string' ? /(?:^|^Reverted )(0x[0-9a-f]*)$/i.exec(data)?.[1] : undefined
  const isRevert = code === 3 || (revertCodes.includes(code) && saysReverted(message, data))
  if (!isRevert) return undefined
  // Some clients decode what they do not know, and print raw bytes.
  const isPrintable = /^execution reverted/i.test(message) && !/custom error 0x|\p{Cc}|\uFFFD/u.test(message)
  if (code === 3 && isPrintable && (bytes === data || data === undefined)) return error
  const clean = isPrintable ? message : 'execution reverted'
  return { code: 3, message: clean, ...(data !== undefined && { data: bytes ?? data }) }
}

function saysReverted(message: string, data: unknown): boolean {
  if (/^execution reverted/i.test(message)) return true
  return /^VM execution error/i.test(message) && typeof data === 'string' && /^Reverted\b/.test(data)
}

const notOfferedCodes: readonly number[] = [rpcCodes.methodNotFound, -32604]

// Besu gives this code to a transaction that its sender cannot pay for.
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

/** A method that the node does not have; clients have five codes and more wordings for it. */
function asNotOffered({ code, message }: NodeError, method: string): NodeError | undefined {
  const isServerFault = code <= -32000 && code >= -32700
  const says = isServerFault && notOfferedWordings.some((wording) => wording.test(message))
  if (!says && !notOfferedCodes.includes(code) && !isNotSupported(code, method)) return undefined
  return { code: rpcCodes.methodNotFound, message: `This node does not offer ${method}.` }
}

/** A block past the head, or one whose state is gone; anvil has one wording for both. */
function asBlockOutOfReach({ message }: NodeError): NodeError | undefined {
  const [, head, asked] =
    /^BlockOutOfRangeError: block height is (\d+) but requested was (\d+)/.exec(message) ?? []
  if (head === undefined || asked === undefined) return undefined
  return BigInt(asked) > BigInt(head)
    ? { code: rpcCodes.resourceNotFound, message: `The block ${asked} is not known.` }
    : { code: rpcCodes.prunedHistory, message: `The state of block ${asked} is pruned.` }
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

/** History that the node has thrown away. The wording stays: it says how far back the node goes. */
function asPruned(error: NodeError): NodeError | undefined {
  const { code, message } = error
  if (code === rpcCodes.prunedHistory || !prunedWordings.some((wording) => wording.test(message)))
    return undefined
  return { ...error, code: rpcCodes.prunedHistory }
}
