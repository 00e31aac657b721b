import type { components } from '@fairlead/platform-client'

type ErrorBody = components['schemas']['PlatformError']

/** A failed call of the platform API, with the message of its response. */
export class Problem extends Error {
  override readonly name = 'Problem'
  /** Status of the response; 0 when there was none. */
  readonly status: number
  readonly code: string
  /** The validation errors of each field, by its name. */
  readonly fields: Readonly<Record<string, readonly string[]>>
  readonly requestId: string | undefined

  constructor(
    status: number,
    {
      code,
      message,
      fields = {},
      requestId,
    }: {
      readonly code: string
      readonly message: string
      readonly fields?: Readonly<Record<string, readonly string[]>> | undefined
      readonly requestId?: string | undefined
    },
  ) {
    super(message)
    this.status = status
    this.code = code
    this.fields = fields
    this.requestId = requestId
  }
}

/**
 * The problem of a response that is not 2xx; a body that is not an error of the platform API is described by its
 * status.
 */
export function problemOf(response: Response, body: unknown): Problem {
  const { status } = response
  if (!isErrorBody(body))
    return new Problem(status, { code: 'unknown', message: `The gateway returned HTTP ${status}.` })
  const { code, message, fields, request_id } = body.error
  return new Problem(status, { code, message, fields, requestId: request_id })
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false
  const { error } = body
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error
}

/** Converts any error to a problem that can be shown. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem(0, {
    code: 'unreachable',
    message: 'Could not reach the gateway. Check your connection and try again.',
  })
}

/** Returns whether the object has been changed since it was loaded. */
export function isOutdated(problem: Problem): boolean {
  return problem.status === 412
}
