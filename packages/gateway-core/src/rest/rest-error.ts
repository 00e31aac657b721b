import type { Logger } from 'pino'
import type { Refusal } from '../admission/types.ts'

/** A refusal or failure that is answered with an error body in the shape of the API that was called. */
export class RestFailure extends Error {
  override readonly name: string = 'RestFailure'
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
export function restFailureOf(error: unknown, log: Logger): RestFailure {
  if (error instanceof RestFailure) return error
  log.error({ err: error }, 'node request failed')
  return new RestFailure(500, 'Internal error.')
}

/** The headers that belong to a refusal of the stations before the node. */
export function refusalHeaders({ retryAfterSeconds }: Refusal): Readonly<Record<string, string>> {
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
}
