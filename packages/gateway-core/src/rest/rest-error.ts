import type { Logger } from 'pino'
import type { Rejection } from '../admission/types.ts'
import { retryAfterFields } from '../http/response-fields.ts'
import { toUpstreamError } from '../upstream/upstream-error.ts'

/** A rejection or failure that is sent as an error body in the format of the called API. */
export class RestError extends Error {
  override readonly name: string = 'RestError'
  /** HTTP status, which is also the `code` of the body. */
  readonly status: number
  /** Response headers of the failure, for example `allow`. */
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** Returns the failure for the response; any other error is logged and not sent to the caller. */
export function toRestError(error: unknown, log: Logger): RestError {
  if (error instanceof RestError) return error
  const upstreamError = toUpstreamError(error)
  if (upstreamError) return new RestError(upstreamError.status, upstreamError.message)
  log.error({ err: error }, 'node request failed')
  return new RestError(500, 'Internal error.')
}

/** The response headers of a rejection before dispatch. */
export function rejectionHeaders({ retryAfterSeconds }: Rejection): Readonly<Record<string, string>> {
  return retryAfterFields(retryAfterSeconds)
}
