import { createServer, type RequestListener, type Server } from 'node:http'
import type { NodeListener } from '@fairlead/gateway-core/http/dependencies'
import type { WebSocketListener } from '@fairlead/gateway-evm/websocket/json-rpc-websocket'
import { guarded } from '@fairlead/http1'
import { answerExpectation } from '../answer-client-error.ts'
import { answerInternalError } from '../answer-internal-error.ts'
import { httpLimits, seeAllHeaders } from '../ports/http-limits.ts'
import { hasSecondHost, rejectSecondHost } from '../reject-second-host.ts'

/**
 * Makes the server of HTTP/1.1 in which the first listener that takes a request answers it.
 *
 * @param platform - answers what no listener takes
 */
export function createHttpServer(
  listeners: readonly NodeListener[],
  webSockets: WebSocketListener,
  platform: RequestListener,
): Server {
  const all: readonly NodeListener[] = [rejectSecondHost, ...listeners]
  const answer: RequestListener = (request, response) => {
    if (!all.some((listener) => listener(request, response))) platform(request, response)
  }
  const server = createServer(
    {
      ...httpLimits,
      shouldUpgradeCallback: (request) => !hasSecondHost(request) && webSockets.takes(request),
    },
    guarded('http', answer, answerInternalError),
  )
  const upgrade = guarded('upgrade', webSockets.upgrade, (_, socket) => socket.destroy())
  return seeAllHeaders(server).on('upgrade', upgrade).on('checkExpectation', answerExpectation)
}
