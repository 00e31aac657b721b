import type { IncomingMessage } from 'node:http'
import type { IncomingHttpHeaders as Http2Headers } from 'node:http2'
import type { Duplex } from 'node:stream'
import type { RequestHandler, StreamHandler, UpgradeHandler } from '../http/dependencies.ts'
import type { Http1ServerRequest } from '@fairlead/http1'
import type { HeadState } from '../http/client-address.ts'
import type { HttpResponse } from '../http/types.ts'
import type { NodeRequest, NodeResponse } from '../http/adapters/node-http.ts'
import { type HandlerMatch, type Route, Router } from '../http/router.ts'
import type { ProtocolDescription } from './description.ts'
import { reservedSegments } from './reserved-segments.ts'

/** A protocol and its handlers. */
export interface RoutedProtocol {
  readonly description: Pick<ProtocolDescription, 'routes'>
  readonly handle: RequestHandler
  /** Serves the WebSocket routes. */
  readonly upgrade?: UpgradeHandler | undefined
  /** Serves requests without an upgrade on routes that require one. */
  readonly upgradeRequired?: RequestHandler | undefined
  /** Serves the HTTP/2 stream routes. */
  readonly stream?: StreamHandler | undefined
}

/** A request that the built-in HTTP/1.1 server has read completely. */
export type BufferedRequest = Http1ServerRequest<HandlerMatch<RequestHandler>, HeadState>

/** Dispatches the requests of an HTTP server. */
export interface Routing {
  /** Matches the target of a request that the built-in HTTP/1.1 server may read completely. */
  matchBuffered(target: string): HandlerMatch<RequestHandler> | undefined
  /** Serves such a request. */
  onBuffered(request: BufferedRequest, response: HttpResponse): void
  /** Request listener of a server. */
  onRequest(request: NodeRequest, response: NodeResponse): void
  /** Whether a request is a WebSocket handshake of a protocol; any other is an ordinary request. */
  shouldUpgrade(request: IncomingMessage): boolean
  /** Matches an HTTP/2 stream that a protocol serves itself; any other is an ordinary request. */
  matchStream(headers: Http2Headers): HandlerMatch<StreamHandler> | undefined
  /** Upgrade listener of a server. */
  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

/**
 * Creates the routing of the gateway.
 *
 * @param gatewayRoutes - routes in addition to those of the protocols
 * @param otherwise - serves requests that match no route
 * @throws TypeError when two routes have the same pattern
 */
export function createRouting(
  protocols: readonly RoutedProtocol[],
  gatewayRoutes: readonly Route<RequestHandler>[],
  otherwise: (request: NodeRequest, response: NodeResponse) => void,
): Routing {
  const reserved = reservedSegments(protocols.map(({ description }) => description))
  const requests = new Router([...gatewayRoutes, ...protocols.flatMap(httpRoutes)], reserved)
  const buffered = new Router(protocols.flatMap(bufferedRoutes), reserved)
  const upgrades = new Router(protocols.flatMap(webSocketRoutes), reserved)
  const streams = new Router(protocols.flatMap(streamRoutes), reserved)
  // Node.js decides about an upgrade before it emits the event.
  const handshakes = new WeakMap<IncomingMessage, HandlerMatch<UpgradeHandler>>()
  return {
    matchBuffered: (target) => buffered.match(target),
    onBuffered: (request, response) => {
      // The protocol of a preflight also depends on its headers.
      const match =
        request.method === 'OPTIONS'
          ? (requests.matchRequest(request.method, request.url, request.headers) ?? request.match)
          : request.match
      match.handler(request, response, match)
    },
    onRequest: (request, response) => {
      const match = requests.matchRequest(request.method, request.url ?? '', request.headers)
      if (match) match.handler(request, response, match)
      else otherwise(request, response)
    },
    shouldUpgrade: (request) => {
      const { method, headers, url = '' } = request
      if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false
      const match = upgrades.match(url)
      if (match) handshakes.set(request, match)
      return match !== undefined
    },
    matchStream: (headers) => streams.matchRequest(headers[':method'], headers[':path'] ?? '', headers),
    onUpgrade: (request, socket, head) => {
      const match = handshakes.get(request)
      if (match) match.handler(request, socket, head, match)
      else socket.destroy()
    },
  }
}

function httpRoutes({
  description,
  handle,
  upgradeRequired,
}: RoutedProtocol): readonly Route<RequestHandler>[] {
  return description.routes.flatMap(({ kind, pattern }) => {
    if (kind === 'http') return [{ pattern, handler: handle }]
    return kind === 'upgrade-required' && upgradeRequired ? [{ pattern, handler: upgradeRequired }] : []
  })
}

function bufferedRoutes({ description, handle }: RoutedProtocol): readonly Route<RequestHandler>[] {
  return description.routes
    .filter(({ isBuffered }) => isBuffered === true)
    .map(({ pattern }) => ({ pattern, handler: handle }))
}

function webSocketRoutes({ description, upgrade }: RoutedProtocol): readonly Route<UpgradeHandler>[] {
  if (!upgrade) return []
  return description.routes
    .filter(({ kind }) => kind === 'websocket')
    .map(({ pattern }) => ({ pattern, handler: upgrade }))
}

function streamRoutes({ description, stream }: RoutedProtocol): readonly Route<StreamHandler>[] {
  if (!stream) return []
  return description.routes
    .filter(({ kind }) => kind === 'http2-stream')
    .map(({ pattern }) => ({ pattern, handler: stream }))
}
