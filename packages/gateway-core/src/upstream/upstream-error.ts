import type { CancellationSignal } from '@fairlead/runtime'
import { Http1Error } from '@fairlead/http1'

/** How an exchange with an upstream failed. It decides whether another upstream may be called. */
export type UpstreamErrorKind =
  /** The upstream has received nothing of the call. */
  | 'connect_failed'
  /** The upstream may have received the call. */
  | 'reset'
  /** The upstream did not respond in time. */
  | 'timeout'
  /** The received data is not a response of the protocol. */
  | 'malformed'
  /** The response belongs to another call. */
  | 'mismatched'
  /** The upstream responded with an HTTP error status. */
  | 'http_error'
  /** The caller disconnected. */
  | 'aborted'

/** Facts about the failure of an exchange with an upstream. */
export interface UpstreamErrorOptions {
  readonly status?: number
  readonly httpStatus?: number | undefined
  readonly retryAfterMs?: number | undefined
  readonly isCausedByCaller?: boolean
}

/** The failure of an exchange with an upstream; its message never contains the URL of the upstream. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly kind: UpstreamErrorKind
  /** HTTP status for the client. */
  readonly status: number
  /** HTTP status of an `http_error` call. */
  readonly httpStatus: number | undefined
  /** Value of `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Whether the call itself may have caused it. It then does not count against the upstream. */
  readonly isCausedByCaller: boolean

  constructor(kind: UpstreamErrorKind, message: string, options: UpstreamErrorOptions = {}) {
    super(message)
    this.kind = kind
    this.status = options.status ?? (kind === 'timeout' ? 504 : 502)
    this.httpStatus = options.httpStatus
    this.retryAfterMs = options.retryAfterMs
    this.isCausedByCaller = options.isCausedByCaller === true
  }
}

/** All upstreams of a node have reached their rate limit. */
export class UpstreamBusyError extends Error {
  override readonly name = 'UpstreamBusyError'
  /** Time until a call can be sent, in milliseconds. */
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super('All upstreams of this node have reached their rate limit. Try again later.')
    this.retryAfterMs = retryAfterMs
  }
}

/** Returns the failure of an upstream that an error is, or has as its `failure`; undefined for any other error. */
export function upstreamFailureOf(error: unknown): UpstreamError | undefined {
  if (error instanceof UpstreamError) return error
  const isWrapped = error instanceof Error && 'failure' in error && error.failure instanceof UpstreamError
  return isWrapped ? (error.failure as UpstreamError) : undefined
}

/** Creates the failure of an exchange. The cause is dropped, because it may contain the URL of the upstream. */
export function unavailable(error: unknown, signal: CancellationSignal): UpstreamError {
  const cause: unknown = signal.aborted ? signal.reason : error
  return failureOf(kindOf(cause) ?? (signal.aborted ? 'aborted' : 'reset'))
}

/**
 * Converts the error of a call that its upstream or its client ended. These are no errors of the gateway, and every
 * protocol has to treat them alike: they are not logged.
 *
 * @returns undefined for any other error
 */
export function toUpstreamError(error: unknown): UpstreamError | undefined {
  if (error instanceof UpstreamError) return error
  const kind = kindOf(error)
  return kind && failureOf(kind)
}

function kindOf(error: unknown): UpstreamErrorKind | undefined {
  if (error instanceof Http1Error) return error.kind
  if (!(error instanceof Error)) return undefined
  if (error.name.includes('Timeout')) return 'timeout'
  return error.name === 'AbortError' ? 'aborted' : undefined
}

function failureOf(kind: UpstreamErrorKind): UpstreamError {
  return new UpstreamError(kind, messages[kind] ?? 'The upstream is unreachable.')
}

const messages: Readonly<Partial<Record<UpstreamErrorKind, string>>> = {
  timeout: 'The upstream did not respond in time.',
  malformed: 'The response of the upstream is not valid HTTP.',
  mismatched: 'The response of the upstream belongs to another call.',
}
