import { constants, type ServerHttp2Stream } from 'node:http2'
import type { Metadata } from '../wire/metadata.ts'
import { metadataToHeaders } from '../wire/metadata-headers.ts'
import { encodeStatusMessage } from '../wire/status-message.ts'
import type { StatusCode } from '../wire/status.ts'

/** Headers with the status of a call. */
export type StatusHeaders = Record<string, string | string[]>

/**
 * Builds the headers with the status of a call: `grpc-status`, `grpc-message` unless it is empty, and metadata.
 *
 * @throws GrpcError INVALID_ARGUMENT for metadata that cannot be sent
 */
export function statusHeaders(code: StatusCode, detail: string, metadata: Metadata = {}): StatusHeaders {
  const headers: StatusHeaders = metadataToHeaders(metadata)
  headers['grpc-status'] = `${code}`
  if (detail !== '') headers['grpc-message'] = encodeStatusMessage(detail)
  return headers
}

/**
 * Responds to a call with a status only: one HEADERS frame that ends the stream. It does nothing on a stream that has a
 * response or is closed, and ignores further data of the client.
 *
 * @param stream - a stream from the `stream` event of the server
 * @param code - gRPC status code
 * @param detail - error message for the developer
 * @param metadata - metadata in addition to the status
 * @param httpStatus - HTTP status; use other values than 200 only for requests that are not gRPC
 * @throws GrpcError INVALID_ARGUMENT for metadata that cannot be sent
 * @example
 * ```ts
 * http2.on('stream', (stream) => respondStatus(stream, Status.UNAUTHENTICATED, 'No valid auth token'))
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Trailers-Only
 */
export function respondStatus(
  stream: ServerHttp2Stream,
  code: StatusCode,
  detail: string,
  metadata: Metadata = {},
  httpStatus = 200,
): void {
  respondOnly(stream, statusHeaders(code, detail, metadata), httpStatus)
}

/** Responds with headers that end the stream. */
export function respondOnly(stream: ServerHttp2Stream, headers: StatusHeaders, httpStatus = 200): void {
  if (stream.destroyed || stream.closed || stream.headersSent) return
  stream.respond(
    { ':status': httpStatus, 'content-type': 'application/grpc', ...headers },
    { endStream: true },
  )
  dropRequest(stream)
}

/** Discards further data from the client on a stream with a complete response. */
export function dropRequest(stream: ServerHttp2Stream): void {
  if (stream.destroyed) return
  stream.resume()
  if (stream.readableEnded || stream.endAfterHeaders) return
  // Before Node.js 24 a reset overtakes headers that were written in the same event-loop tick.
  setImmediate(() => {
    if (!stream.destroyed) stream.close(constants.NGHTTP2_NO_ERROR)
  })
}
