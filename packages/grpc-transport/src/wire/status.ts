/**
 * The gRPC status codes, by name.
 *
 * @example
 * ```ts
 * throw new GrpcError(Status.NOT_FOUND, 'no such slot')
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/statuscodes.md
 */
export const Status = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const

/** Name of a gRPC status code, for example `UNAVAILABLE`. */
export type StatusName = keyof typeof Status

/** A gRPC status code: 0 to 16. */
export type StatusCode = (typeof Status)[StatusName]

const names = Object.keys(Status) as readonly StatusName[]

/**
 * Returns the name of a status code.
 *
 * @param code - a code of {@link Status}
 * @returns its name in capitals
 * @example
 * ```ts
 * statusName(14) // 'UNAVAILABLE'
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/statuscodes.md
 */
export function statusName(code: StatusCode): StatusName {
  return names[code] ?? 'UNKNOWN'
}

/**
 * Maps an HTTP response without a gRPC status, for example from a proxy, to a gRPC status.
 *
 * @param httpStatus - HTTP status code
 * @returns the status code; UNKNOWN for 200 and statuses that the table does not list
 * @example
 * ```ts
 * statusOfHttp(503) // Status.UNAVAILABLE
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md
 */
export function statusOfHttp(httpStatus: number): StatusCode {
  switch (httpStatus) {
    case 400:
      return Status.INTERNAL
    case 401:
      return Status.UNAUTHENTICATED
    case 403:
      return Status.PERMISSION_DENIED
    case 404:
      return Status.UNIMPLEMENTED
    case 429:
    case 502:
    case 503:
    case 504:
      return Status.UNAVAILABLE
    default:
      return Status.UNKNOWN
  }
}

/** Parses the text of `grpc-status`; undefined for an invalid code. An unknown code counts as UNKNOWN. */
export function parseStatus(text: string): StatusCode | undefined {
  if (!/^\d{1,9}$/.test(text)) return undefined
  const code = Number(text)
  return code < names.length ? (code as StatusCode) : Status.UNKNOWN
}
