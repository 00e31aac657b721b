import type { IncomingHttpHeaders } from 'node:http2'
import { GrpcError } from '../wire/grpc-error.ts'
import { headersToMetadata } from '../wire/metadata-headers.ts'
import { Status, statusOfHttp } from '../wire/status.ts'

/** Returns the error in the first headers of a response; undefined when a gRPC status will report how the call ends. */
export function errorOfResponse(headers: IncomingHttpHeaders): GrpcError | undefined {
  if (headers['grpc-status'] !== undefined) return undefined
  const { 'content-type': type = '' } = headers
  const status = Number(headers[':status'])
  if (status !== 200) {
    return new GrpcError(
      statusOfHttp(status),
      `the server answered with HTTP ${status}`,
      headersToMetadata(headers),
    )
  }
  return /^application\/grpc(?:[+;]|$)/i.test(type)
    ? undefined
    : new GrpcError(Status.UNKNOWN, 'the server answered with another content-type than application/grpc')
}
