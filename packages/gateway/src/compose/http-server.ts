import type { Server } from 'node:http'
import {
  createNodeServer,
  type NodeRequest,
  type NodeResponse,
} from '@fairlead/gateway-core/http/adapters/node-http'
import type { Routing } from '@fairlead/gateway-core/protocol/routing'
import { guarded } from '@fairlead/http1'
import { answerExpectation } from '../answer-client-error.ts'
import { answerInternalError } from '../answer-internal-error.ts'
import { httpLimits, seeAllHeaders } from '../ports/http-limits.ts'
import { hasSecondHost, rejectSecondHost } from '../reject-second-host.ts'

/** Makes the server of HTTP/1.1, which routes its requests and upgrades. */
export function createHttpServer({ onRequest, shouldUpgrade, onUpgrade }: Routing): Server {
  const answer = (request: NodeRequest, response: NodeResponse) => {
    if (!rejectSecondHost(request, response)) onRequest(request, response)
  }
  const server = createNodeServer(
    {
      ...httpLimits,
      shouldUpgradeCallback: (request) => !hasSecondHost(request) && shouldUpgrade(request),
    },
    guarded('http', answer, answerInternalError),
  )
  const upgrade = guarded('upgrade', onUpgrade, (_, socket) => socket.destroy())
  return seeAllHeaders(server).on('upgrade', upgrade).on('checkExpectation', answerExpectation)
}
