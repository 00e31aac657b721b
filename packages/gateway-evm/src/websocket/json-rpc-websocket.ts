import { guarded, guardedInterval, guardedTimeout, tenantOfAddress, waitUntil } from '@fairlead/runtime'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { hasLooped, loopReason } from '@fairlead/gateway-core/network/cdn-loop'
import { CredentialSockets } from './credential-sockets.ts'
import { ruleRejections } from '@fairlead/gateway-core/admission/rejections'
import { toResponseError } from '../call-handler.ts'
import { rejectedCall } from '../rejected-call.ts'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { errorText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import { CorkedSockets } from '@fairlead/gateway-core/websocket/corked-sockets'
import { Deadlines } from '@fairlead/gateway-core/http/deadlines'
import { FlushingWebSocket } from '@fairlead/gateway-core/websocket/flushing-websocket'
import type { RequestHandler, UpgradeHandler } from '@fairlead/gateway-core/http/dependencies'
import { requestIdField, responseFields, retryAfterFields } from '@fairlead/gateway-core/http/response-fields'
import { type HttpRequest, type HttpResponse, sendContent } from '@fairlead/gateway-core/http/types'
import type { RouteMatch } from '@fairlead/gateway-core/http/route'
import { ConnectionGuard } from '@fairlead/gateway-core/authentication/connection-guard'
import { rpcEndpointOf } from '../http/rpc-routes.ts'
import { rejectUpgrade } from '@fairlead/gateway-core/websocket/reject-upgrade'
import { makeRequestId } from '@fairlead/gateway-core/http/request-id'
import { closeCodes, closeCodeOfRejection } from '@fairlead/gateway-core/websocket/close-codes'
import type { WebSocketDependencies } from './dependencies.ts'
import { SessionMemory } from './session-memory.ts'
import { WebSocketSession } from './session.ts'

/** The WebSockets of a gateway. */
export interface WebSocketListener {
  /** Accepts a connection from the HTTP server. */
  readonly upgrade: UpgradeHandler
  /** Responds to a request without an upgrade at a WebSocket URL. */
  readonly upgradeRequired: RequestHandler
  /** Waits for in-flight calls and closes every connection, within the given time. */
  stop(drainMs: number): Promise<void>
}

const drainPollMs = 20
// A handshake takes as long as this many calls.
const unitsOfHandshake = 20
// How long a client may take to respond to the close frame of a rejected handshake.
const rejectedCloseMs = 2_000
// RFC 6455, section 5.5: a control frame has at most 125 bytes, two of which are the code.
const maxReasonLength = 123

interface Handshake {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

/** Creates the listener for JSON-RPC over WebSocket. */
export function createWebSocketListener(dependencies: WebSocketDependencies): WebSocketListener {
  const sessions = new Set<WebSocketSession>()
  const sockets = new CorkedSockets()
  const credentialSockets = new CredentialSockets(dependencies)
  const deadlines = new Deadlines(dependencies.timeoutMs)
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: dependencies.maxBodyBytes,
    WebSocket: FlushingWebSocket,
  })
  let isStopping = false
  const { directory, admission, meter, tracing } = dependencies
  // Each connection is logged, but not each of its messages.
  const services = { admission, meter, tracing, log: dependencies.log, logRequests: 'none' } as const
  const guard = new ConnectionGuard({ protocol: 'evm', directory, admission })
  const pings = guardedInterval(() => {
    for (const session of sessions) session.ping()
  }, dependencies.pingMs).unref()

  const openShare = ({ credentialId }: Grant, memory: SessionMemory) => {
    try {
      return credentialSockets.open(credentialId)
    } catch (error) {
      memory.release()
      throw error
    }
  }

  const open = ({ request, socket, head }: Handshake, match: RouteMatch, requestId: string) => {
    if (hasLooped(dependencies.loops, request.headers)) {
      throw rejectedCall({ status: 508, reason: loopReason })
    }
    if (isStopping)
      throw new RpcError(rpcCodes.internalError, 'The gateway is restarting. Try again.', { status: 503 })
    const grant = admitted(dependencies, match, request)
    const log = dependencies.log.child({ request_id: requestId })
    const memory = new SessionMemory(dependencies.memory, grant)
    const share = openShare(grant, memory)
    let isUpgraded = false
    server.handleUpgrade(request, socket, head, (webSocket) => {
      isUpgraded = true
      const corked = sockets.of(socket)
      webSocket.flush = () => corked.flush()
      const endpoint = rpcEndpointOf(match)
      const requester = {
        address: dependencies.authenticator.addressOf(request),
        origin: request.headers.origin,
      }
      const context = {
        dependencies,
        webSocket,
        socket,
        corked,
        deadlines,
        grant,
        share,
        memory,
        requester,
        endpoint,
        services,
        requestId,
        log,
        origin: { 'cdn-loop': request.headers['cdn-loop'] },
      }
      const session = new WebSocketSession(context)
      sessions.add(session)
      guard.add(session)
      webSocket.once('close', () => {
        sessions.delete(session)
        guard.delete(session)
      })
    })
    if (isUpgraded) return
    share.close()
    memory.release()
  }

  const rejectWith = (socket: Duplex, requestId: string, failure: RpcError) => {
    const headers = {
      ...responseFields(requestId, dependencies.corsOrigin, requestIdField),
      ...headersFor(failure),
    }
    rejectUpgrade(socket, failure.status, errorText('null', failure), headers)
    logRejection(requestId, failure)
  }

  const logRejection = (requestId: string, { status }: RpcError) => {
    dependencies.meter({ protocol: 'evm', method: 'unknown', status, durationSeconds: 0 })
    dependencies.log.info({ request_id: requestId, status }, 'node websocket rejected')
  }

  /** Accepts a handshake and closes the WebSocket immediately, because its client cannot see an HTTP status. */
  const closeWith = (
    { request, socket, head }: Handshake,
    code: number,
    failure: RpcError,
    requestId: string,
  ) => {
    server.handleUpgrade(request, socket, head, (webSocket) => {
      const timer = guardedTimeout(() => webSocket.terminate(), rejectedCloseMs).unref()
      webSocket.on('error', () => undefined).on('close', () => clearTimeout(timer))
      webSocket.close(code, failure.message.slice(0, maxReasonLength))
      logRejection(requestId, failure)
    })
  }

  const upgrade = (handshake: Handshake, match: RouteMatch) => {
    const { request, socket } = handshake
    const requestId = makeRequestId()
    try {
      if (!socket.destroyed) open(handshake, match, requestId)
    } catch (error) {
      const failure = toResponseError(error, dependencies.log.child({ request_id: requestId }))
      const code = isCloseVisible(request, match) ? closeCodeOfRejection(failure.status) : undefined
      if (code === undefined) rejectWith(socket, requestId, failure)
      else closeWith(handshake, code, failure, requestId)
    }
  }

  // Handshake errors of the library are returned in the same form as all other errors.
  server.on('wsClientError', (error: Error, socket: Duplex) => {
    const failure = new RpcError(rpcCodes.invalidRequest, `${error.message}.`, { status: 400 })
    rejectWith(socket, makeRequestId(), failure)
  })

  return {
    upgrade: (request, socket, head, match) => {
      socket.on('error', () => socket.destroy())
      const turn = guarded(
        'upgrade',
        () => upgrade({ request, socket, head }, match),
        () => socket.destroy(),
      )
      const address = dependencies.authenticator.addressOf(request)
      dependencies.budget.run(tenantOfAddress(address), unitsOfHandshake, turn)
    },
    upgradeRequired: (request, response) => respondUpgradeRequired(dependencies, request, response),
    stop: async (drainMs) => {
      isStopping = true
      guard.close()
      clearInterval(pings)
      for (const session of sessions) session.drain(drainMs / 2)
      await waitUntil(() => sessions.size === 0, drainMs, drainPollMs)
      for (const session of sessions) {
        session.close(closeCodes.restart, 'gateway restart')
        session.terminate()
      }
    },
  }
}

function admitted(
  { authenticator, corsOrigin }: WebSocketDependencies,
  match: RouteMatch,
  request: IncomingMessage,
): Grant {
  const authenticated = authenticator.authenticate('evm', match, request)
  if ('status' in authenticated) throw rejectedCall(authenticated)
  const { origin } = request.headers
  // The rules of the node may allow other origins than the gateway allows for nodes without rules.
  const isAllowed = corsOrigin === '*' || origin === undefined || origin === corsOrigin
  if (!isAllowed && authenticator.originFor(authenticated, origin) === undefined)
    throw rejectedCall(ruleRejections.origin)
  return authenticated
}

/**
 * Whether a handshake comes from the WebSocket of a browser or a runtime, which exposes a close code to the program but
 * not the HTTP status of a rejection. Browsers send `Origin`, Node.js sends only `Sec-Fetch-Mode`. Without a
 * credential, the status is still needed: browsers send user name and password of a URL in response to a 401.
 */
function isCloseVisible({ headers }: IncomingMessage, { token }: RouteMatch): boolean {
  const isNative = headers.origin !== undefined || headers['sec-fetch-mode'] === 'websocket'
  return isNative && (token !== undefined || headers.authorization !== undefined)
}

function respondUpgradeRequired(
  dependencies: WebSocketDependencies,
  { httpVersionMajor }: HttpRequest,
  response: HttpResponse,
): void {
  // HTTP/2 has no Upgrade header, which 426 requires (RFC 9113, section 8.6).
  const failure =
    httpVersionMajor === 2
      ? new RpcError(rpcCodes.invalidRequest, 'This URL accepts WebSockets only over HTTP/1.1.', {
          status: 400,
        })
      : new RpcError(rpcCodes.invalidRequest, 'This URL accepts only WebSockets.', { status: 426 })
  const { status } = failure
  const headers = {
    ...responseFields(makeRequestId(), dependencies.corsOrigin, requestIdField),
    ...(status === 426 && headersFor(failure)),
    'content-type': 'application/json',
  }
  sendContent(response, status, headers, errorText('null', failure))
}

function headersFor({ status, retryAfterSeconds }: RpcError): Record<string, string> {
  switch (status) {
    case 400:
      return { 'sec-websocket-version': '13, 8' }
    case 401:
      return { 'www-authenticate': 'Basic realm="node"' }
    case 426:
      return { connection: 'Upgrade', upgrade: 'websocket' }
    default:
      return retryAfterFields(retryAfterSeconds)
  }
}
