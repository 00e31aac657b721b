import type { Metadata } from './metadata.ts'
import { type StatusCode, statusName } from './status.ts'

// A global symbol, so that errors are recognized across two installed copies of this package.
const marker = Symbol.for('fairlead.grpc-error')

/**
 * The error of a call that ended with any status but OK.
 *
 * @example
 * ```ts
 * if (GrpcError.is(error) && error.code === Status.NOT_FOUND) return undefined
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/statuscodes.md
 */
export class GrpcError extends Error {
  readonly [marker] = true
  override readonly name = 'GrpcError'
  readonly code: StatusCode
  /** The error message of the peer, or of the transport. */
  readonly detail: string
  /** Metadata that arrived with the status. */
  readonly metadata: Metadata
  /**
   * True when the server has certainly not begun with the call, so that it can be sent again even if it is not
   * idempotent.
   */
  readonly isUnprocessed: boolean

  constructor(
    code: StatusCode,
    detail: string,
    metadata: Metadata = {},
    options: { readonly isUnprocessed?: boolean | undefined; readonly cause?: unknown } = {},
  ) {
    super(
      detail === '' ? statusName(code) : `${statusName(code)}: ${detail}`,
      'cause' in options ? { cause: options.cause } : undefined,
    )
    this.code = code
    this.detail = detail
    this.metadata = metadata
    this.isUnprocessed = options.isUnprocessed ?? false
  }

  /**
   * Returns whether a value is a GrpcError, created by any copy of this package.
   *
   * @param error - any thrown value
   * @param code - the only code to accept
   * @returns true for such an error
   * @example
   * ```ts
   * if (GrpcError.is(error, Status.UNAVAILABLE)) await pause()
   * ```
   * @see https://github.com/grpc/grpc/blob/master/doc/statuscodes.md
   */
  static is(error: unknown, code?: StatusCode): error is GrpcError {
    return (
      error instanceof Error && marker in error && (code === undefined || (error as GrpcError).code === code)
    )
  }
}
