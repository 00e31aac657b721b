/**
 * The context of each error code. Codes are stable: they are only added, never renamed, removed or redefined.
 *
 * The prefix before the first underscore shows how far the call got: `CONFIG` before any I/O, `TRANSPORT` no response,
 * `HTTP` a response that is not 2xx, `RPC` a JSON-RPC error object, `GRPC` a gRPC status, `STREAM` a stream that cannot
 * continue, `DECODE` a response that violates the contract.
 */
export interface ErrorContext {
  /** An invalid option. `rule` states what the option must be. */
  CONFIG_INVALID: { readonly option: string; readonly rule: string }
  /** No response within the timeout. */
  TRANSPORT_TIMEOUT: AttemptContext
  /** The connection failed or broke. */
  TRANSPORT_FAILED: AttemptContext
  /** A persistent connection ended and is not opened again. `closeCode` as in RFC 6455, section 7.4. */
  TRANSPORT_CLOSED: { readonly operation: string; readonly closeCode: number; readonly reason: string }
  /** An HTTP response that is not 2xx. */
  HTTP_STATUS: {
    readonly operation: string
    readonly status: number
    /** The error message of the server, without secrets. */
    readonly detail?: string | undefined
    /** Value of the `x-request-id` header. */
    readonly requestId?: string | undefined
  }
  /** A JSON-RPC error object. `data` is what the node sent, for example revert data. */
  RPC_ERROR: {
    readonly operation: string
    readonly rpcCode: number
    readonly detail: string
    readonly data?: unknown
    /** HTTP status of the response with the error object; 200 over a WebSocket. */
    readonly status: number
  }
  /** Fewer upstreams than required returned the same response. */
  RPC_QUORUM: {
    readonly operation: string
    readonly needed: number
    readonly agreed: number
    readonly asked: number
  }
  /** A gRPC status other than OK. */
  GRPC_STATUS: {
    readonly operation: string
    readonly status: number
    /** Name of the status, for example `UNAVAILABLE`. */
    readonly statusName?: string | undefined
    /** The error message of the server, without secrets. */
    readonly detail: string
    /** Metadata of the status, without secrets; not enumerable, so that it does not fill logs. */
    readonly metadata?: Readonly<Record<string, string | Uint8Array | readonly (string | Uint8Array)[]>>
  }
  /** The buffer of a stream is full, because the stream was read more slowly than it was written. */
  STREAM_OVERFLOW: { readonly operation: string; readonly capacity: number }
  /** A stream cannot deliver data from before a point, because the node no longer stores it. */
  STREAM_GAP: {
    readonly operation: string
    readonly reason: string
    /** The oldest slot that the node still stores, in decimal, if it reports one. */
    readonly firstAvailableSlot?: string | undefined
  }
  /** A response that violates the contract. `path` is the position, `rule` the expectation. */
  DECODE_INVALID: { readonly operation: string; readonly path: string; readonly rule: string }
}

/** A call without a response. */
export interface AttemptContext {
  readonly operation: string
  /** Counts from 1; 0 for a call that was never sent. */
  readonly attempt: number
  /** Timeout of the attempt in milliseconds. */
  readonly timeoutMs: number
  /** The error message of the runtime, without secrets. */
  readonly reason: string
}

export type ErrorCode = keyof ErrorContext

// A global symbol, so that errors are recognized across two installed copies of this package.
const marker = Symbol.for('fairlead.error')

/**
 * The error class of all Fairlead packages, with a stable `code` and a `context` typed by it.
 *
 * Neither the message nor the context ever contains a token, a key or a password.
 *
 * @example
 * ```ts
 * try {
 *   await evm.request({ method: 'eth_blockNumber' })
 * } catch (error) {
 *   if (FairleadError.is(error, 'RPC_ERROR')) console.error(error.context.rpcCode)
 * }
 * ```
 */
export class FairleadError<code extends ErrorCode = ErrorCode> extends Error {
  readonly [marker] = true
  override readonly name = 'FairleadError'
  declare readonly code: code
  declare readonly context: ErrorContext[code]

  constructor(code: code, context: ErrorContext[code]) {
    super(`[${code}] ${JSON.stringify(context)}`)
    this.code = code
    this.context = context
  }

  /**
   * Returns whether a value is a Fairlead error, optionally of one code.
   *
   * @param error - any thrown value
   * @param code - the only code to accept
   * @returns true for an error created by any copy of this package
   * @example
   * ```ts
   * if (FairleadError.is(error, 'HTTP_STATUS') && error.context.status === 404) return undefined
   * ```
   */
  static is<code extends ErrorCode>(error: unknown, code?: code): error is FairleadError<code> {
    return error instanceof Error && marker in error && (!code || (error as FairleadError).code === code)
  }
}

/**
 * Returns whether the same HTTP request may succeed when it is sent again.
 *
 * @param status - HTTP status code
 * @returns true for 408, 429, 502, 503 and 504
 * @example
 * ```ts
 * isRetryableStatus(429) // true
 * ```
 * @see RFC 9110, section 15; RFC 6585, section 4
 */
export function isRetryableStatus(status: number): boolean {
  return [408, 429, 502, 503, 504].includes(status)
}

/**
 * Returns whether an error may be temporary, derived from its code and status.
 *
 * @param error - any thrown value
 * @returns true for timeouts, broken connections, the statuses of {@link isRetryableStatus}, and calls rejected because
 *   of a rate limit; false for a call that may have sent a transaction: look up the transaction first
 * @example
 * ```ts
 * if (isRetryable(error)) queue.push(job)
 * ```
 */
export function isRetryable(error: unknown): boolean {
  if (!FairleadError.is(error)) return false
  if (FairleadError.is(error, 'HTTP_STATUS')) return isRetryableStatus(error.context.status)
  if (FairleadError.is(error, 'RPC_ERROR')) {
    return isRetryableStatus(error.context.status) || isRefusedForNow(error.context)
  }
  if (FairleadError.is(error, 'GRPC_STATUS')) return isRetryableGrpc(error.context)
  return (
    (FairleadError.is(error, 'TRANSPORT_TIMEOUT') || FairleadError.is(error, 'TRANSPORT_FAILED')) &&
    (error.context.attempt === 0 || !sending.test(error.context.operation))
  )
}

const sending = /^eth_send/

const temporaryReasons = /^(rate|(upstream )?busy)$/

// These methods return the same code when a query has too many results.
const logQueries = /^(?:eth|erigon)_get(?:Filter)?Logs/

/**
 * Whether a node rejected a call unprocessed because there were too many calls. Over a WebSocket or in a batch no HTTP
 * status reports this.
 */
function isRefusedForNow({ rpcCode, operation, data }: ErrorContext['RPC_ERROR']): boolean {
  const { reason, retry_after_ms: waitMs } = (data ?? {}) as { reason?: string; retry_after_ms?: number }
  if (reason !== undefined) return temporaryReasons.test(reason)
  return typeof waitMs === 'number' || rpcCode === 429 || (rpcCode === -32005 && !logQueries.test(operation))
}

/** UNAVAILABLE, or RESOURCE_EXHAUSTED when the server sends a retry delay (gRPC proposal A6). */
function isRetryableGrpc({ status, metadata }: ErrorContext['GRPC_STATUS']): boolean {
  return status === 14 || (status === 8 && /^\d+$/.test(String(metadata?.['grpc-retry-pushback-ms'])))
}
