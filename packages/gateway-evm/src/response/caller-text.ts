import { rpcCodes } from '../rpc-codes.ts'

/** The members of an error object that reveal who wrote its text. */
interface WrittenError {
  readonly code: number
  readonly message: string
}

// These methods execute code that the caller chose: a contract, a transaction or a tracer can write into the error
// message.
const executing =
  /^(?:eth_(?:call|callMany|callBundle|estimateGas|createAccessList|fillTransaction|simulateV1|send|bigBlock)|debug_(?:trace|storageRange|intermediateRoots|standardTrace)|trace_|arbtrace_|ots_(?:trace|getInternal|getTransactionError|search))/

// Codes of a failed execution. Upstreams use only these for a revert or an exception of a tracer.
const executionCodes: ReadonlySet<number> = new Set([
  3,
  rpcCodes.serverError,
  -32003,
  rpcCodes.executionError,
  rpcCodes.internalError,
])

// The position in a script, and the text that go-ethereum and its derivatives add to an exception of a script.
const ofScript = /<eval>:\d+:\d+|\bin server-side tracer function '|^internal JS tracer error\b/i

/** Whether a caller may have chosen the text of an error. Such a text reveals nothing about the upstream. */
export function mayContainCallerText(method: string, { code, message }: WrittenError): boolean {
  // The error for an invalid param quotes the param.
  if (code === 3 || code === rpcCodes.invalidParams) return true
  return (executionCodes.has(code) && executing.test(method)) || isTracerText(method, message)
}

/** Whether an error contains text of a tracer that the caller sent. */
export function isTracerText(method: string, message: string): boolean {
  return executing.test(method) && ofScript.test(message)
}
