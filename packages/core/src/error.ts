/**
 * What went wrong, by stable code. Codes are only ever added: never renamed, removed or given another meaning.
 *
 * The area before the first underscore says how far the call came: `CONFIG` before any I/O, `TRANSPORT` no answer,
 * `HTTP` an answer that is not 2xx, `RPC` a JSON-RPC error object, `GRPC` a gRPC status, `STREAM` a lasting exchange that
 * cannot go on, `DECODE` an answer that breaks the contract.
 */
export interface ErrorContext {
  /** An option that cannot work. `rule` says what the option must be. */
  CONFIG_INVALID: { readonly option: string; readonly rule: string }
  /** No answer in time. */
  TRANSPORT_TIMEOUT: AttemptContext
  /** The connection failed or broke. */
  TRANSPORT_FAILED: AttemptContext
  /** A lasting connection ended and is not opened again. `closeCode` as in RFC 6455, section 7.4. */
  TRANSPORT_CLOSED: { readonly operation: string; readonly closeCode: number; readonly reason: string }
  /** An HTTP answer that is not 2xx. */
  HTTP_STATUS: {
    readonly operation: string
    readonly status: number
    /** The server's own words, without secrets. */
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
    /** HTTP status that carried the error object; 200 over a WebSocket. */
    readonly status: number
  }
  /** Fewer upstreams than asked for gave the same answer. */
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
    /** The server's own words, without secrets. */
    readonly detail: string
    /** Metadata that came with the status, without secrets; not enumerable, so that no log is filled with it. */
    readonly metadata?: Readonly<Record<string, string | Uint8Array | readonly (string | Uint8Array)[]>>
  }
  /** A stream was read more slowly than it was written, and its buffer is full. */
  STREAM_OVERFLOW: { readonly operation: string; readonly capacity: number }
  /** A stream cannot deliver what came before a point, because the node no longer has it. */
  STREAM_GAP: {
    readonly operation: string
    readonly reason: string
    /** The oldest slot that the node still has, in decimal, where it says so. */
    readonly firstAvailableSlot?: string | undefined
  }
  /** An answer that breaks the contract. `path` is where, `rule` what was expected there. */
  DECODE_INVALID: { readonly operation: string; readonly path: string; readonly rule: string }
}

/** A call that got no answer. */
export interface AttemptContext {
  readonly operation: string
  /** Counts from 1; 0 for a call that was never sent. */
  readonly attempt: number
  /** Limit of the attempt in milliseconds. */
  readonly timeoutMs: number
  /** The runtime's own words, without secrets. */
  readonly reason: string
}

export type ErrorCode = keyof ErrorContext

// A global symbol, so that errors are recognised across two installed copies of this package.
const marker = Symbol.for('fairlead.error')

/**
 * The one error class of all Fairlead packages: a stable `code` and a `context` typed by it.
 *
 * Neither the message nor the context ever holds a token, a key or a password.
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
   * Tells whether a value is a Fairlead error, optionally of one code.
   *
   * @param error - anything that was thrown
   * @param code - the only code to accept
   * @returns true for an error made by any copy of this package
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
 * Tells whether the same HTTP request may succeed when it is sent again.
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
 * Tells whether an error may go away by itself, derived from its code and status.
 *
 * @param error - anything that was thrown
 * @returns true for timeouts, broken connections, the statuses of {@link isRetryableStatus}, and refusals because there
 * were too many calls; false for a call that may have sent a transaction, which is to be looked for first
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

// Where a query finds too much, the same code says so.
const logQueries = /^(?:eth|erigon)_get(?:Filter)?Logs/

/** Whether a node did nothing because there were too many calls; over a WebSocket or in a batch no status says so. */
function isRefusedForNow({ rpcCode, operation, data }: ErrorContext['RPC_ERROR']): boolean {
  const { reason, retry_after_ms: waitMs } = (data ?? {}) as { reason?: string; retry_after_ms?: number }
  if (reason !== undefined) return temporaryReasons.test(reason)
  return typeof waitMs === 'number' || rpcCode === 429 || (rpcCode === -32005 && !logQueries.test(operation))
}

/** UNAVAILABLE, or RESOURCE_EXHAUSTED where the server says when to come again (gRPC proposal A6). */
function isRetryableGrpc({ status, metadata }: ErrorContext['GRPC_STATUS']): boolean {
  return status === 14 || (status === 8 && /^\d+$/.test(String(metadata?.['grpc-retry-pushback-ms'])))
}
