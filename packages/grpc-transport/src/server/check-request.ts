import type { IncomingHttpHeaders } from 'node:http2'
import { Status, type StatusCode } from '../wire/status.ts'

/** Why a request is not a gRPC call. */
export interface RequestFault {
  readonly code: StatusCode
  readonly detail: string
  /** HTTP status, for clients that do not speak gRPC. */
  readonly httpStatus: number
}

/**
 * Validates that a request is a gRPC call. The header `te: trailers` may be missing: it detects proxies that drop
 * trailers, and common servers accept calls without it.
 *
 * @param headers - headers of the request
 * @returns the fault to send with {@link respondStatus}; undefined for a valid call
 * @example
 * ```ts
 * const fault = checkRequest(headers)
 * if (fault) respondStatus(stream, fault.code, fault.detail, {}, fault.httpStatus)
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Requests
 */
export function checkRequest(headers: IncomingHttpHeaders): RequestFault | undefined {
  if (headers[':method'] !== 'POST') return fault(405, 'a call is made with POST')
  if (!/^application\/grpc(?:[+;]|$)/.test(headers['content-type'] ?? '')) {
    return fault(415, 'the content-type of a call is application/grpc')
  }
  const path = headers[':path'] ?? ''
  if (!/^\/[^/?#]+\/[^/?#]+$/.test(path)) {
    return { code: Status.UNIMPLEMENTED, detail: 'the path of a call is /service/method', httpStatus: 200 }
  }
  return undefined
}

function fault(httpStatus: number, detail: string): RequestFault {
  return { code: Status.INTERNAL, detail, httpStatus }
}
