import type { Metadata } from './metadata.ts'
import { type StatusCode, statusName } from './status.ts'

// A global symbol, so that errors are recognised across two installed copies of this package.
const marker = Symbol.for('fairlead.grpc-error')

/**
 * The end of a call with any status but OK.
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
  /** The other side's own words, or what the transport saw. */
  readonly detail: string
  /** Metadata that came with the status. */
  readonly metadata: Metadata
  /** True where the server has certainly not begun with the call, so that it may be sent again whatever it does. */
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
   * Tells whether a value is the end of a call, made by any copy of this package.
   *
   * @param error - anything that was thrown
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
