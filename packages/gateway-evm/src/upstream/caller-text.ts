import { rpcCodes } from '../rpc-codes.ts'

/** An error object, as far as its author is told by it. */
interface WrittenError {
  readonly code: number
  readonly message: string
}

// They execute code that the caller chose: a contract, a transaction or a tracer writes into the message of the error.
const executing =
  /^(?:eth_(?:call|callMany|callBundle|estimateGas|createAccessList|fillTransaction|simulateV1|send|bigBlock)|debug_(?:trace|storageRange|intermediateRoots|standardTrace)|trace_|arbtrace_|ots_(?:trace|getInternal|getTransactionError|search))/

// The codes of a failed execution. Nodes give one of these to a revert or an exception of a tracer, never another.
const executionCodes: ReadonlySet<number> = new Set([
  3,
  rpcCodes.serverError,
  -32003,
  rpcCodes.executionError,
  rpcCodes.internalError,
])

// The place in a script, and what go-ethereum and its derivatives put behind an exception of a script.
const ofScript = /<eval>:\d+:\d+|\bin server-side tracer function '|^internal JS tracer error\b/i

/** Whether a caller may have chosen the words of an error, which then say nothing about the node. */
export function mayHoldCallerText(method: string, { code, message }: WrittenError): boolean {
  // A parameter that is refused is quoted.
  if (code === 3 || code === rpcCodes.invalidParams) return true
  return (executionCodes.has(code) && executing.test(method)) || isTracerText(method, message)
}

/** Whether an error holds the words of a tracer that the caller has sent. */
export function isTracerText(method: string, message: string): boolean {
  return executing.test(method) && ofScript.test(message)
}
