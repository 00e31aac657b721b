import type { Logger } from 'pino'
import type { Rejection } from '../admission/types.ts'

/** A refusal or failure that is answered with an error body in the shape of the API that was called. */
export class RestError extends Error {
  override readonly name: string = 'RestError'
  /** HTTP status, which is also the `code` of the body. */
  readonly status: number
  /** Response headers that belong to the failure, for example `allow`. */
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** The failure to answer with; anything that is not one already is logged and kept from the caller. */
export function toRestError(error: unknown, log: Logger): RestError {
  if (error instanceof RestError) return error
  log.error({ err: error }, 'node request failed')
  return new RestError(500, 'Internal error.')
}

/** The headers that belong to a rejection before dispatch. */
export function rejectionHeaders({ retryAfterSeconds }: Rejection): Readonly<Record<string, string>> {
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
}
