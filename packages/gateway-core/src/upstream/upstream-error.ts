import { type CancellationSignal, Http1Error } from '@fairlead/http1'

/** How an exchange with an upstream failed, which decides whether another upstream may be asked. */
export type UpstreamErrorKind =
  /** The upstream has seen nothing of the call. */
  | 'unconnected'
  /** It may have seen the call. */
  | 'broken'
  /** It did not answer in time. */
  | 'late'
  /** What came is no response of the protocol. */
  | 'malformed'
  /** It answered with an HTTP status of its own. */
  | 'refused'
  /** The caller went away. */
  | 'aborted'

/** The failure of an exchange with an upstream; its message never says where the upstream is. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly kind: UpstreamErrorKind
  /** HTTP status for the client. */
  readonly status: number
  /** HTTP status of a `refused` call. */
  readonly httpStatus: number | undefined
  /** What `Retry-After` asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(
    kind: UpstreamErrorKind,
    message: string,
    options: {
      readonly status?: number
      readonly httpStatus?: number | undefined
      readonly retryAfterMs?: number | undefined
    } = {},
  ) {
    super(message)
    this.kind = kind
    this.status = options.status ?? (kind === 'late' ? 504 : 502)
    this.httpStatus = options.httpStatus
    this.retryAfterMs = options.retryAfterMs
  }
}

/** All upstreams of a node have as many calls as they take in a second. */
export class UpstreamBusyError extends Error {
  override readonly name = 'UpstreamBusyError'
  /** When a call can be sent, in milliseconds. */
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super('The nodes take no more calls at the moment.')
    this.retryAfterMs = retryAfterMs
  }
}

/** The failure for an exchange that came to no end; the cause is dropped, as it may say where the node is. */
export function unavailable(error: unknown, signal: CancellationSignal): UpstreamError {
  const cause: unknown = signal.aborted ? signal.reason : error
  const isLate = cause instanceof Error && cause.name.includes('Timeout')
  const kind = isLate
    ? 'late'
    : signal.aborted
      ? 'aborted'
      : cause instanceof Http1Error
        ? cause.kind
        : 'broken'
  return new UpstreamError(kind, messages[kind] ?? 'The node cannot be reached.')
}

const messages: Readonly<Partial<Record<UpstreamErrorKind, string>>> = {
  late: 'The node did not answer in time.',
  malformed: 'The node answered something that is not HTTP.',
}
