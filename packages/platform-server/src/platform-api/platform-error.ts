/** HTTP status by error code. */
const statuses = {
  invalid: 400,
  parse_error: 400,
  not_authenticated: 401,
  authentication_failed: 401,
  permission_denied: 403,
  recent_sign_in_required: 403,
  csrf_failed: 403,
  https_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  limit_reached: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  throttled: 429,
  server_error: 500,
  upstream_error: 502,
  unavailable: 503,
} as const satisfies Record<string, number>

const messages: Readonly<Record<PlatformErrorCode, string>> = {
  invalid: 'Invalid input.',
  parse_error: 'The body is not JSON.',
  not_authenticated: 'Send an API key as a bearer token, or sign in.',
  authentication_failed: 'Invalid credentials.',
  permission_denied: 'The API key or the user does not have permission for this operation.',
  recent_sign_in_required: 'Sign in again to make this change.',
  csrf_failed: 'Send the csrf_token of the session in the header X-CSRF-Token.',
  https_required: 'Use HTTPS.',
  not_found: 'Not found.',
  method_not_allowed: 'The path does not support this method.',
  conflict: 'The state of the object does not allow this operation.',
  limit_reached: 'The maximum number of these objects is reached.',
  precondition_failed: 'The object has changed in the meantime. Read it again and retry.',
  payload_too_large: 'The request body is too large.',
  unsupported_media_type: 'Send the body as application/json.',
  throttled: 'Too many requests.',
  server_error: 'An internal error occurred.',
  upstream_error: 'A service that the gateway depends on failed.',
  unavailable: 'The gateway is temporarily unavailable. Try again in a moment.',
}

const challenge = 'Bearer realm="platform"'
const retryAfter = { 'retry-after': '5' }

const headersByCode: Readonly<Partial<Record<PlatformErrorCode, Readonly<Record<string, string>>>>> = {
  not_authenticated: { 'www-authenticate': challenge },
  authentication_failed: { 'www-authenticate': `${challenge}, error="invalid_token"` },
  throttled: retryAfter,
  unavailable: retryAfter,
}

/** Error code; clients distinguish failures by it. */
export type PlatformErrorCode = keyof typeof statuses

/** Validation errors by field or parameter. */
export type Fields = Readonly<Record<string, readonly string[]>>

/** An error that is reported to the client. Its message and fields never contain input of the client. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly code: PlatformErrorCode
  readonly fields: Fields | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: PlatformErrorCode,
    options: {
      readonly message?: string | undefined
      readonly fields?: Fields | undefined
      readonly headers?: Readonly<Record<string, string>> | undefined
      readonly cause?: unknown
    } = {},
  ) {
    super(options.message ?? messages[code], { cause: options.cause })
    this.code = code
    this.fields = options.fields
    this.headers = { ...headersByCode[code], ...options.headers }
  }

  get status(): number {
    return statuses[this.code]
  }
}

/** The body of every error response. */
export function errorBody(error: PlatformError, requestId: string) {
  const { code, message, fields } = error
  return { error: { code, message, ...(fields !== undefined && { fields }), request_id: requestId } }
}
