import { GrpcError } from '../wire/grpc-error.ts'
import { Status, type StatusCode } from '../wire/status.ts'

/** The HTTP/2 error codes in their order, each with its gRPC status. */
const resets: readonly (readonly [name: string, status: StatusCode])[] = [
  ['NO_ERROR', Status.INTERNAL],
  ['PROTOCOL_ERROR', Status.INTERNAL],
  ['INTERNAL_ERROR', Status.INTERNAL],
  ['FLOW_CONTROL_ERROR', Status.INTERNAL],
  ['SETTINGS_TIMEOUT', Status.INTERNAL],
  ['STREAM_CLOSED', Status.UNKNOWN],
  ['FRAME_SIZE_ERROR', Status.INTERNAL],
  ['REFUSED_STREAM', Status.UNAVAILABLE],
  ['CANCEL', Status.CANCELLED],
  ['COMPRESSION_ERROR', Status.INTERNAL],
  ['CONNECT_ERROR', Status.INTERNAL],
  ['ENHANCE_YOUR_CALM', Status.RESOURCE_EXHAUSTED],
  ['INADEQUATE_SECURITY', Status.PERMISSION_DENIED],
  ['HTTP_1_1_REQUIRED', Status.UNKNOWN],
]

const refusedStream = 7

/** Returns the name of an HTTP/2 error code. */
export function resetName(code: number): string {
  return resets[code]?.[0] ?? `error ${code}`
}

/**
 * Returns the error of a call whose stream the peer reset.
 *
 * @param code - HTTP/2 error code, for example `stream.rstCode`
 * @returns the error; `isUnprocessed` for REFUSED_STREAM
 * @example
 * ```ts
 * errorOfReset(8).message // 'CANCELLED: the server reset the stream with CANCEL'
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Errors; RFC 9113, section 7
 */
export function errorOfReset(code: number): GrpcError {
  const detail = `the server reset the stream with ${resetName(code)}`
  return new GrpcError(
    resets[code]?.[1] ?? Status.UNKNOWN,
    detail,
    {},
    { isUnprocessed: code === refusedStream },
  )
}
