import type { ErrorCode, ErrorDetails } from './error-details.ts'
import { describeError } from './error-messages.ts'

/**
 * The error class of all Fairlead packages, with a stable `code` and `details` typed by it.
 *
 * The message is one line of at most 1,000 characters: the cause, the next step, the code and a link. Bundles for
 * browsers omit the sentences and links to stay small: the message is the code with the details as JSON, and
 * `describeError` of `@fairlead/core/error-messages` returns the rest. No property ever contains a token, a key or a
 * password.
 *
 * @example
 * ```ts
 * try {
 *   await evm.request({ method: 'eth_blockNumber' })
 * } catch (error) {
 *   if (FairleadError.is(error, 'RPC_ERROR')) console.error(error.details.rpcCode)
 * }
 * ```
 */
// Bundlers for browsers replace this module by `error.browser.ts` (field `browser` of package.json).
export class FairleadError<code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'FairleadError'
  declare readonly code: code
  /** The facts of this error. */
  declare readonly details: ErrorDetails[code]
  /**
   * One sentence without ids, numbers and URLs, equal for all errors of a code: a key to group errors by. In a bundle
   * for browsers it is the code.
   */
  declare readonly shortMessage: string
  /** Link to the section of the code in the reference of errors. Undefined in a bundle for browsers. */
  declare readonly docsUrl: string | undefined

  /**
   * @param code - the stable code
   * @param details - the facts, without secrets
   * @param options - `cause`: an error without secrets that led to this one
   */
  constructor(code: code, details: ErrorDetails[code], options?: ErrorOptions) {
    const { message, shortMessage, docsUrl } = describeError(code, details)
    super(message, options)
    this.code = code
    this.details = details
    this.shortMessage = shortMessage
    this.docsUrl = docsUrl
  }

  /**
   * Returns whether a value is a Fairlead error, optionally of one code.
   *
   * @param error - any thrown value
   * @param code - the only code to accept
   * @returns true for an error created by any copy of this package
   * @example
   * ```ts
   * if (FairleadError.is(error, 'HTTP_STATUS') && error.details.status === 404) return undefined
   * ```
   */
  static is<code extends ErrorCode>(error: unknown, code?: code): error is FairleadError<code> {
    return (
      error instanceof Error &&
      error.name === 'FairleadError' &&
      (!code || (error as FairleadError).code === code)
    )
  }
}
