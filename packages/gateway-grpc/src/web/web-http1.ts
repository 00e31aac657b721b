import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from '@fairlead/gateway-core/http/dependencies'
import { requestPath } from '@fairlead/gateway-core/http/request-target'
import { beginCall } from '../call/handle-call.ts'
import type { GrpcDependencies } from '../dependencies.ts'
import { webClient } from './web-client.ts'
import { answerCors, preflightCors, webForm, webOrigin } from './web-cors.ts'
import { webRequests } from './web-requests.ts'

/** Makes the handler of gRPC-web over HTTP/1.1, preflights included. */
export function createWebHandler(dependencies: GrpcDependencies): RequestHandler {
  return (request, response) => {
    const { method, headers } = request
    if (method === 'OPTIONS') response.writeHead(204, preflightCors(dependencies.corsOrigin, headers)).end()
    else call(dependencies, request, response, webForm(method, headers['content-type']) === 'text')
  }
}

function call(
  dependencies: GrpcDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  isText: boolean,
): void {
  const { headers, url = '', rawHeaders: raw } = request
  const origin = webOrigin(dependencies, headers)
  const requests = webRequests(dependencies.maxBodyBytes, isText)
  // A body that breaks off ends with its connection, of which the answer hears.
  request.on('error', () => undefined).pipe(requests)
  const answer = {
    stream: response,
    begin: (sent: object) => {
      response.writeHead(200, { ...sent, ...answerCors(origin) })
      response.flushHeaders()
    },
    destroy: () => void response.destroy(),
  }
  const { host } = headers
  const asked = {
    path: requestPath(url),
    host,
    received: { headers, raw },
    socket: request.socket,
    isWeb: true,
  }
  requests.once('error', () => request.unpipe(requests).resume())
  beginCall(dependencies, asked, webClient(requests, answer, isText))
}
