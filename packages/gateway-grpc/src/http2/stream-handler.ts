import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { StreamHandler } from '@fairlead/gateway-core/http/dependencies'
import { dropRequest } from '@fairlead/gateway-core/http/http2-listener'
import { guardedImmediate } from '@fairlead/runtime'
import { handleCall } from '../call/handle-call.ts'
import type { GrpcDependencies } from '../dependencies.ts'
import { webClient } from '../web/web-client.ts'
import { corsHeaders, preflightHeaders, webEncoding, webOrigin } from '../web/web-cors.ts'
import { webRequests } from '../web/web-requests.ts'
import { http2Client } from './http2-downstream.ts'

/** Creates the handler of gRPC and gRPC-web over HTTP/2, including preflights. */
export function createStreamHandler(dependencies: GrpcDependencies): StreamHandler {
  return (stream, headers, raw) => {
    const { ':method': method, ':path': path = '', ':authority': authority, host } = headers
    if (method === 'OPTIONS') {
      const cors = preflightHeaders(dependencies.corsOrigin, headers)
      stream.respond({ ':status': 204, ...cors }, { endStream: true })
      dropRequest(stream)
      return
    }
    const web = webEncoding(method, headers['content-type'])
    const call = {
      path,
      host: authority ?? host,
      received: { headers, raw },
      socket: stream.session?.socket ?? {},
      stream,
      isWeb: web !== undefined,
    }
    const client =
      web === undefined
        ? http2Client(stream)
        : createWebDownstream(dependencies, stream, headers, web === 'text')
    handleCall(dependencies, call, client)
  }
}

function createWebDownstream(
  dependencies: GrpcDependencies,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  isText: boolean,
) {
  const origin = webOrigin(dependencies, headers)
  const requests = webRequests(dependencies.maxBodyBytes, isText)
  stream.pipe(requests)
  requests.once('error', () => stream.unpipe(requests).resume())
  stream.once('finish', () => guardedImmediate(() => dropRequest(stream)))
  const response = {
    stream,
    sendHeaders: (metadata: object) => {
      if (!stream.closed) stream.respond({ ...metadata, ...corsHeaders(origin), ':status': 200 })
    },
    destroy: () => stream.close(constants.NGHTTP2_CANCEL),
  }
  return webClient(requests, response, isText)
}
