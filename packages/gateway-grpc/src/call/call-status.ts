import {
  decodeStatusMessage,
  encodeStatusMessage,
  GrpcError,
  metadataToHeaders,
  Status,
  type StatusCode,
  statusOfHttp,
} from '@fairlead/grpc-transport/wire'
import type { OutgoingHttpHeaders } from 'node:http2'
import { containsSecret, redactDeep } from '@fairlead/gateway-core/redaction/redact-deep'
import type { Rejection } from '@fairlead/gateway-core/admission/types'

/** How a call ends for the client. */
export interface CallEnd {
  readonly code: StatusCode
  /** Includes the status. */
  readonly trailers: OutgoingHttpHeaders
}

/** Creates the end of a call that the gateway itself ends. */
export function gatewayEnd(
  code: StatusCode,
  detail: string,
  metadata: Readonly<Record<string, string>> = {},
): CallEnd {
  const trailers = { 'grpc-status': String(code), 'grpc-message': encodeStatusMessage(detail), ...metadata }
  return { code, trailers }
}

/** The end for an error that was thrown before dispatch. */
export function endOfError({ code, detail, metadata }: GrpcError): CallEnd {
  return gatewayEnd(code, detail, metadataToHeaders(metadata) as Record<string, string>)
}

/** Creates the error of a rejection before dispatch: PERMISSION_DENIED for a rule, RESOURCE_EXHAUSTED for a limit. */
export function errorOfRejection({ status, reason, data, retryAfterSeconds }: Rejection): GrpcError {
  const retryMs = data && 'retry_after_ms' in data ? data.retry_after_ms : (retryAfterSeconds ?? 0) * 1_000
  const isLimit = status === 429 || status === 503 || (data !== undefined && 'reason' in data)
  const code =
    status === 401 ? Status.UNAUTHENTICATED : isLimit ? Status.RESOURCE_EXHAUSTED : Status.PERMISSION_DENIED
  return new GrpcError(code, reason, retryMs > 0 ? { 'grpc-retry-pushback-ms': String(retryMs) } : {})
}

/**
 * The end of a call that the upstream ended, passed on unchanged. Only entries that would reveal the upstream's URL or
 * credential are removed. The client's own credential was accepted before, so an authentication failure concerns the
 * gateway's credential.
 *
 * @param trailers - with a `grpc-status`
 * @param secrets - strings that must not be passed on
 */
export function endOfUpstream(trailers: OutgoingHttpHeaders, secrets: readonly string[]): CallEnd {
  const code = codeOf(trailers['grpc-status'])
  if (code === Status.UNAUTHENTICATED) return credentialRejected
  return { code, trailers: withoutSecrets(trailers, secrets) }
}

/** The end for an HTTP response that is not a gRPC response. */
export function endOfHttp(status: number): CallEnd {
  if (status === 401 || status === 403 || status === 407) return credentialRejected
  if (status === 200) return gatewayEnd(Status.UNKNOWN, 'The response of the upstream is not gRPC.')
  return gatewayEnd(statusOfHttp(status), `The upstream returned HTTP ${status}.`)
}

const credentialRejected = gatewayEnd(
  Status.UNAVAILABLE,
  'The upstream rejected the credential of the gateway.',
)

function codeOf(value: unknown): StatusCode {
  const code = typeof value === 'string' && /^\d{1,2}$/.test(value) ? Number(value) : Status.UNKNOWN
  return code <= Status.UNAUTHENTICATED ? (code as StatusCode) : Status.UNKNOWN
}

/** Metadata without the entries that would reveal the upstream's URL or credential. A status message is redacted. */
export function withoutSecrets(
  trailers: OutgoingHttpHeaders,
  secrets: readonly string[],
): OutgoingHttpHeaders {
  const filtered: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(trailers)) {
    const texts = [value].flat().map(String)
    if (name === 'grpc-message') {
      const detail = decodeStatusMessage(texts[0] ?? '')
      const redacted = redactDeep(detail, secrets)
      filtered[name] = redacted === detail ? value : encodeStatusMessage(redacted)
    } else if (!texts.some((text) => containsSecretEntry(name, text, secrets))) filtered[name] = value
  }
  return filtered
}

function containsSecretEntry(name: string, text: string, secrets: readonly string[]): boolean {
  if (secrets.length === 0) return false
  let checked = checkedTexts.get(secrets)
  if (checked?.get(name) === text) return false
  const plain = name.endsWith('-bin') ? Buffer.from(text, 'base64').toString('latin1') : text
  if (containsSecret(plain, secrets) || containsSecret(text, secrets)) return true
  if (!checked) checkedTexts.set(secrets, (checked = new Map()))
  if (text.length <= maxCheckedLength && (checked.size < maxCheckedNames || checked.has(name)))
    checked.set(name, text)
  return false
}

// The last text of an entry that contained no secret. Most entries are the same in each response: the search takes a
// tenth of the time of a call.
const checkedTexts = new WeakMap<readonly string[], Map<string, string>>()
const maxCheckedNames = 64
const maxCheckedLength = 256
