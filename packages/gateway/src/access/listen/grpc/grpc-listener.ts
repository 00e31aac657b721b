import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { beginCall } from './begin-call.ts'
import type { GrpcPlane } from './grpc-plane.ts'
import { dropRequest, http2Client } from './http2-client.ts'
import { webClient } from './web/web-client.ts'
import { answerCors, isPreflight, preflightCors, webForm, webOrigin } from './web/web-cors.ts'
import { webRequests } from './web/web-requests.ts'

/** Hears of every stream of an HTTP/2 server. */
export type StreamListener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  raw: readonly string[],
) => void

const nativeType = /^application\/grpc(?:[+;]|$)/

/**
 * Makes the listener for HTTP/2.
 *
 * @param plane - what calls of gRPC and of gRPC-web need
 * @param otherwise - hears of every other request
 */
export function createGrpcListener(plane: GrpcPlane, otherwise: StreamListener = refuse): StreamListener {
  return (stream, headers, flags, raw) => {
    stream.on('error', () => undefined)
    // A client may have reset it by now.
    if (stream.destroyed || stream.closed) return
    const {
      ':method': method,
      ':path': path = '',
      ':authority': authority,
      host,
      'content-type': type,
    } = headers
    const web = webForm(method, type)
    const asked = {
      path,
      host: authority ?? host,
      received: { headers, raw },
      socket: stream.session?.socket ?? {},
      isWeb: web !== undefined,
    }
    if (web !== undefined) beginCall(plane, asked, overWeb(plane, stream, headers, web === 'text'))
    else if (method === 'POST' && nativeType.test(type ?? '')) beginCall(plane, asked, http2Client(stream))
    else if (isPreflight(method, headers)) {
      stream.respond({ ':status': 204, ...preflightCors(plane.corsOrigin, headers) }, { endStream: true })
      dropRequest(stream)
    } else otherwise(stream, headers, flags, raw)
  }
}

function overWeb(plane: GrpcPlane, stream: ServerHttp2Stream, headers: IncomingHttpHeaders, isText: boolean) {
  const origin = webOrigin(plane, headers)
  const requests = webRequests(plane.maxBodyBytes, isText)
  stream.pipe(requests)
  requests.once('error', () => stream.unpipe(requests).resume())
  stream.once('finish', () => setImmediate(() => dropRequest(stream)))
  const answer = {
    stream,
    begin: (sent: object) => {
      if (!stream.closed) stream.respond({ ...sent, ...answerCors(origin), ':status': 200 })
    },
    destroy: () => stream.close(constants.NGHTTP2_CANCEL),
  }
  return webClient(requests, answer, isText)
}

function refuse(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 415, 'content-type': 'text/plain; charset=utf-8' })
  stream.end('HTTP/2 is for gRPC here. Use HTTP/1.1 for everything else.\n', () => dropRequest(stream))
}
