import type { OutgoingHttpHeaders } from 'node:http'
import {
  type HttpRequest,
  type HttpResponse,
  sendContent,
  setHeaders,
} from '@fairlead/gateway-core/http/types'
import type { RequestHandler } from '@fairlead/gateway-core/http/dependencies'
import { requestPath } from '@fairlead/gateway-core/http/request-target'
import { handleCall } from '../call/handle-call.ts'
import type { GrpcDependencies } from '../dependencies.ts'
import { webClient } from './web-client.ts'
import { corsHeaders, preflightHeaders, webEncoding, webOrigin } from './web-cors.ts'
import { webRequests } from './web-requests.ts'

/** Creates the handler of gRPC-web over HTTP/1.1, including preflights. */
export function createWebHandler(dependencies: GrpcDependencies): RequestHandler {
  return (request, response) => {
    const { method, headers } = request
    if (method === 'OPTIONS') sendContent(response, 204, preflightHeaders(dependencies.corsOrigin, headers))
    else
      handleWebCall(dependencies, request, response, webEncoding(method, headers['content-type']) === 'text')
  }
}

function handleWebCall(
  dependencies: GrpcDependencies,
  request: HttpRequest,
  response: HttpResponse,
  isText: boolean,
): void {
  const { headers, url = '' } = request
  const origin = webOrigin(dependencies, headers)
  const requests = webRequests(dependencies.maxBodyBytes, isText)
  // A truncated body ends with its connection, which also closes the response.
  const received = request.bodyStream()
  received.on('error', () => undefined).pipe(requests)
  const content = response.contentStream()
  const webResponse = {
    stream: content,
    sendHeaders: (metadata: OutgoingHttpHeaders) => {
      response.statusCode = 200
      setHeaders(response, { ...metadata, ...corsHeaders(origin) })
      response.flushHeaders()
    },
    destroy: () => void response.destroy(),
  }
  const { host } = headers
  const callRequest = {
    path: requestPath(url),
    host,
    received: { headers, raw: request.headerList() },
    socket: request.socket,
    isWeb: true,
  }
  requests.once('error', () => received.unpipe(requests).resume())
  handleCall(dependencies, callRequest, webClient(requests, webResponse, isText))
}
