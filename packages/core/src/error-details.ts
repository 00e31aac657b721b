/**
 * The details of each error code. Codes are stable: they are only added, never renamed, removed or redefined.
 *
 * The prefix before the first underscore shows how far the call got: `CONFIG` before any I/O, `TRANSPORT` no response,
 * `HTTP` a response that is not 2xx, `RPC` a JSON-RPC error object, `GRPC` a gRPC status, `STREAM` a stream that cannot
 * continue, `DECODE` a response that violates the contract.
 */
export interface ErrorDetails {
  /** An invalid option. `rule` states what the option must be. */
  CONFIG_INVALID: { readonly option: string; readonly rule: string }
  /** No response within the timeout. */
  TRANSPORT_TIMEOUT: AttemptDetails
  /** The connection failed or broke. */
  TRANSPORT_FAILED: AttemptDetails
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
export interface AttemptDetails {
  readonly operation: string
  /** Counts from 1; 0 for a call that was never sent. */
  readonly attempt: number
  /** Timeout of the attempt in milliseconds. */
  readonly timeoutMs: number
  /** The error message of the runtime, without secrets. */
  readonly reason: string
}

export type ErrorCode = keyof ErrorDetails
