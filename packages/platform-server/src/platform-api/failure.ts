import { errorCode } from '@fairlead/gateway-core/telemetry/loggable-error'
import { isStoreUnavailable } from '../store/store-unavailable.ts'
import { PlatformError, type PlatformErrorCode } from './platform-error.ts'

// Errors of the HTTP framework itself, before any handler runs.
const frameworkFailures: Readonly<Record<string, PlatformErrorCode>> = {
  FST_ERR_BAD_URL: 'not_found',
  // A method that node:http does not know but HTTP/2 accepts.
  FST_ERR_NOT_FOUND: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'parse_error',
  FST_ERR_CTP_INVALID_JSON_BODY: 'parse_error',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'parse_error',
}

/** Converts any thrown value to an error that a client may see. */
export function toPlatformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error
  // The body is not valid compressed data.
  if (errorCode(error)?.startsWith('Z_') === true) return new PlatformError('parse_error', { cause: error })
  if (isStoreUnavailable(error)) return new PlatformError('unavailable', { cause: error })
  const code = frameworkFailures[errorCode(error) ?? ''] ?? 'server_error'
  return new PlatformError(code, { cause: error })
}
