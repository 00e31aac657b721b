import { constants, type ServerHttp2Stream } from 'node:http2'
import type { Metadata } from '../wire/metadata.ts'
import { metadataToHeaders } from '../wire/metadata-headers.ts'
import { encodeStatusMessage } from '../wire/status-message.ts'
import type { StatusCode } from '../wire/status.ts'

/** Headers that say how a call ended. */
export type StatusHeaders = Record<string, string | string[]>

/**
 * Writes the headers that say how a call ended: `grpc-status`, `grpc-message` unless it is empty, and metadata.
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
 * Answers a call with a status and nothing else: one HEADERS frame that ends the stream. It does nothing on a stream
 * that has answered or is gone, and lets what the client still sends fall.
 *
 * @param stream - a stream as the `stream` event of the server gives it
 * @param code - status code of gRPC
 * @param detail - words for the person who reads the error
 * @param metadata - metadata beside the status
 * @param httpStatus - status of HTTP; anything but 200 is for requests that are not gRPC
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

/** Answers with headers that end the stream. */
export function respondOnly(stream: ServerHttp2Stream, headers: StatusHeaders, httpStatus = 200): void {
  if (stream.destroyed || stream.closed || stream.headersSent) return
  stream.respond(
    { ':status': httpStatus, 'content-type': 'application/grpc', ...headers },
    { endStream: true },
  )
  dropRequest(stream)
}

/** Lets go of what the client may still send on a stream that was answered in full. */
export function dropRequest(stream: ServerHttp2Stream): void {
  if (stream.destroyed) return
  stream.resume()
  if (stream.readableEnded || stream.endAfterHeaders) return
  // Before Node 24 a reset overtakes headers that were written in the same turn.
  setImmediate(() => {
    if (!stream.destroyed) stream.close(constants.NGHTTP2_NO_ERROR)
  })
}
