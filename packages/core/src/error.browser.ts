import type { ErrorCode, ErrorDetails } from './error-details.ts'
import type { FairleadError as CompleteError } from './error.ts'

/** The error class in bundles for browsers: `error.ts` without the sentences and links. */
export class FairleadError<code extends ErrorCode = ErrorCode> extends Error implements CompleteError<code> {
  override readonly name = 'FairleadError'
  declare readonly code: code
  declare readonly details: ErrorDetails[code]
  declare readonly shortMessage: string
  declare readonly docsUrl: undefined

  constructor(code: code, details: ErrorDetails[code], options?: ErrorOptions) {
    super(`${code} ${JSON.stringify(details)}`.replace(/(.{999}).+/su, '$1…'), options)
    this.shortMessage = this.code = code
    this.details = details
  }

  static is<code extends ErrorCode>(error: unknown, code?: code): error is FairleadError<code> {
    return (
      error instanceof Error &&
      error.name === 'FairleadError' &&
      (!code || (error as FairleadError).code === code)
    )
  }
}
