import {
  createFrameReader,
  errorOfTrailers,
  GrpcError,
  type HeaderFields,
  headersToMetadata,
  type Metadata,
  parseTrailers,
  Status,
  statusOfHttp,
} from '@fairlead/grpc-transport/wire'
import type { AdapterResponse } from '../adapter/adapter-call.ts'
import { createBase64Reader } from './base64.ts'

/**
 * Reads an HTTP response as the response of a gRPC-web call.
 *
 * @throws GrpcError for an invalid response, or one whose headers report that the call failed
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
 */
export function readResponse(response: Response, maxMessageBytes: number): AdapterResponse {
  const fields: HeaderFields = Object.fromEntries(response.headers)
  let ending: HeaderFields | undefined = 'grpc-status' in fields ? fields : undefined
  if (response.status !== 200) {
    throw (
      (ending && errorOfTrailers(ending)) ??
      new GrpcError(statusOfHttp(response.status), `the server answered with HTTP status ${response.status}`)
    )
  }
  const type = response.headers.get('content-type') ?? ''
  if (!ending && !type.startsWith('application/grpc-web')) {
    throw new GrpcError(Status.UNKNOWN, 'the server answered with another content type than that of gRPC-web')
  }
  const body = response.body?.getReader()
  const bytesOf = type.startsWith('application/grpc-web-text')
    ? createBase64Reader()
    : (chunk: Uint8Array) => chunk
  const frames = createFrameReader({
    maxMessageBytes,
    onTrailers: (block) => {
      ending = parseTrailers(block)
    },
  })
  let trailers: Metadata | undefined

  const finish = () => {
    const error = errorOfTrailers(ending ?? {})
    if (error) throw error
    trailers = headersToMetadata(ending ?? {})
    return false
  }

  return {
    headers: headersToMetadata(fields),
    get trailers() {
      return trailers
    },
    read: () => frames.read(),
    async pull() {
      for (;;) {
        if (frames.isReady()) return true
        // No data follows the trailers, whatever the server does with the connection.
        if (ending) {
          void body?.cancel().catch(() => undefined)
          return finish()
        }
        const chunk = await body?.read()
        if (!chunk || chunk.done) {
          frames.end()
          return finish()
        }
        frames.push(bytesOf(chunk.value))
      }
    },
  }
}
