import type { ReceivedResponse } from '@fairlead/http1'
import type { CancellationSignal, Completion } from '@fairlead/runtime'
import { isRecord, parseJson } from '@fairlead/gateway-core/json'
import { parseRetryAfter } from '@fairlead/gateway-core/upstream/retry-after'
import { UpstreamError, type UpstreamErrorOptions } from '@fairlead/gateway-core/upstream/upstream-error'
import { rpcCodes } from '../rpc-codes.ts'
import { mayContainCallerText } from './caller-text.ts'
import { type ClassifiedCall, unknownCall } from './classify-response.ts'
import { type NodeError, normalizeError, toNodeError } from './normalize-error.ts'
import { malformed, rateLimited } from './rpc-errors.ts'
import type { UpstreamResponse } from './upstream-response.ts'

/** A failure that the upstream explains by a JSON-RPC error. */
export class FailedResponse extends UpstreamError {
  /** The client receives it when no upstream has a better one. */
  readonly response: UpstreamResponse

  constructor(failure: UpstreamError, response: UpstreamResponse) {
    super(failure.kind, failure.message, failure)
    this.response = response
  }
}

/** Fails a call for which no upstream has a better response. */
export function rejectWith(error: unknown, completion: Completion<UpstreamResponse>): void {
  if (error instanceof FailedResponse) completion.resolve(error.response)
  else completion.reject(error)
}

/** The error of a JSON-RPC response. Undefined for a result, and for a batch. */
interface Content {
  readonly error?: NodeError
}

const maxPrefixLength = 1_024
// Matches the beginning of a response in which only the version and the id precede the result or the error.
const responsePrefix =
  /^[\s[]*\{\s*(?:"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]*"|[^"\s,{[\\]+)\s*,\s*)*"(?:result"\s*:|error"\s*:\s*\{)/
const codeInPrefix = /"error"\s*:\s*\{[^{}]*?"code"\s*:\s*(-?\d{1,9})\b/

const tooManyRequests = 429
/** Every gateway on a forwarding loop returns this status. */
const loopDetected = 508
const forbidden = 403
// The upstream rejects the credential of the gateway.
const unauthorized: ReadonlySet<number> = new Set([401, 407])
// The upstream rejects the body of the request, of which the caller has written most.
const invalidBody: ReadonlySet<number> = new Set([400, 413, 422])

/**
 * Reads a response without the status 200 or the content type of JSON. Servers disagree about both, so a body that is
 * JSON-RPC is the response. An error counts against the upstream only if its status and its code do.
 *
 * @param received - status and header fields
 * @param response - body
 * @param call - undefined for a batch
 * @param signal - cancellation signal of the exchange
 * @throws {@link FailedResponse} for an error that counts against the upstream; another {@link UpstreamError} for a rate
 * limit, and for a body that is not JSON-RPC
 */
export async function readUnusualResponse(
  received: ReceivedResponse,
  response: UpstreamResponse,
  call: ClassifiedCall | undefined,
  signal: CancellationSignal,
): Promise<UpstreamResponse> {
  const content = await contentOf(response, received.status, call, signal)
  const failure = failureOf(received, response, content, call ?? unknownCall)
  if (!failure) return response
  if (!response.isBuffered) void response.drain()
  throw failure
}

/** Returns undefined for a body that is not JSON-RPC. */
async function contentOf(
  response: UpstreamResponse,
  status: number,
  call: ClassifiedCall | undefined,
  signal: CancellationSignal,
): Promise<Content | undefined> {
  const { latin1 } = response
  if (latin1 === undefined) return contentOfPrefix(await response.beginning(maxPrefixLength, signal))
  const value = parseJson(latin1)
  if (Array.isArray(value)) return call === undefined && isBatch(value, status) ? {} : undefined
  if (!isRecord(value)) return undefined
  const { jsonrpc, result, error } = value
  if (isRecord(error)) return { error: toNodeError(error) }
  // The error pages of other APIs may have a result too.
  const mayBeResult = jsonrpc === '2.0' || (status >= 200 && status < 300)
  return mayBeResult && result !== undefined && (error ?? null) === null ? {} : undefined
}

/** With a status that counts against the upstream, errors of a batch say nothing about their calls. */
function isBatch(items: readonly unknown[], status: number): boolean {
  const responses = items.filter(isRecord)
  const isFailure = status === tooManyRequests || isFailureStatus(status)
  return isFailure ? responses.some(({ result }) => result !== undefined) : responses.length > 0
}

/** Whether a status counts against an upstream, other than that of a rate limit. */
function isFailureStatus(status: number): boolean {
  return status >= 500 || status === forbidden || unauthorized.has(status)
}

function contentOfPrefix(prefix: string): Content | undefined {
  if (!responsePrefix.test(prefix)) return undefined
  const code = codeInPrefix.exec(prefix)?.[1]
  return code === undefined ? {} : { error: toNodeError({ code: Number(code) }) }
}

/** Returns undefined for a response that clients may receive. */
function failureOf(
  received: ReceivedResponse,
  response: UpstreamResponse,
  content: Content | undefined,
  call: ClassifiedCall,
): UpstreamError | undefined {
  const { status } = received
  const retryAfterMs = parseRetryAfter(received.header('retry-after'))
  const facts = { httpStatus: status, retryAfterMs }
  const failed = (options: UpstreamErrorOptions) =>
    new UpstreamError('http_error', `The upstream returned HTTP ${status}.`, { ...facts, ...options })
  if (status === loopDetected) return failed({ status })
  if (!content) {
    if (status >= 200 && status < 300) return malformed()
    return failed({ isCausedByCaller: invalidBody.has(status) })
  }
  const { error } = content
  if (!error) return undefined
  const responseClass = response.classify(call)
  if (responseClass === 'busy') return rateLimited(retryAfterMs)
  // Every error of a log query may report a limit, also that of a proxy.
  const isOfCall = responseClass === 'too large' ? status === 500 : responseClass !== 'good'
  if (isOfCall || isCausedByCaller(call.method, error, status)) return undefined
  if (status === tooManyRequests) return rateLimited(retryAfterMs)
  if (!isFailureStatus(status)) return undefined
  // The upstream may forbid only some methods.
  const failure = failed({ isCausedByCaller: status === forbidden && isInvalidRequest(error) })
  return response.isBuffered ? new FailedResponse(failure, response) : failure
}

/** Whether the caller has certainly caused an error. */
function isCausedByCaller(method: string, error: NodeError, status: number): boolean {
  const { code } = normalizeError(error, method)
  if (code === 3 || code === rpcCodes.invalidParams || code === rpcCodes.executionError) return true
  // Providers use the other codes also when they reject a credential or a rate.
  if (status < 500) return false
  // Some servers return 500 for every error of a call. A proxy returns the statuses above.
  return isInvalidRequest(error) || (status === 500 && mayContainCallerText(method, error))
}

function isInvalidRequest({ code }: NodeError): boolean {
  return code === rpcCodes.parseError || code === rpcCodes.invalidRequest
}
