import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { serveOverHttp2 } from '@fairlead/gateway-core/http/adapters/http2'
import {
  createNodeServer,
  type NodeRequest,
  type NodeResponse,
} from '@fairlead/gateway-core/http/adapters/node-http'
import type { RequestHandler } from '@fairlead/gateway-core/http/dependencies'
import { http2Limits } from '@fairlead/gateway-core/clients/client-costs'
import type { Clients } from '@fairlead/gateway-core/clients/clients'
import { createHttp2Listener } from '@fairlead/gateway-core/http/http2-listener'
import { hasConflictingHost } from '@fairlead/gateway-core/http/request-host'
import type { Route } from '@fairlead/gateway-core/http/router'
import { createRouting, type RoutedProtocol, type Routing } from '@fairlead/gateway-core/protocol/routing'
import type { MetricsRegistry } from '@fairlead/gateway-core/telemetry/metrics-registry'
import { createHttp2Server } from '@fairlead/grpc-transport'
import { guarded } from '@fairlead/runtime'
import { createHttp1Server, type Http1Server } from '@fairlead/http1'
import { sendExpectationFailed, timeoutResponse } from '../send-client-error.ts'
import { sendInternalError } from '../send-internal-error.ts'
import type { Configuration } from '../configuration/options.ts'
import { publishConnections } from '../observe/states/connection-metrics.ts'
import { httpLimits, removeHeaderCountLimit } from '../ports/http-limits.ts'
import { openPorts, type Ports } from '../ports/open-ports.ts'
import { rejectConflictingHost } from '../reject-conflicting-host.ts'
import type { Dependencies } from './dependencies.ts'
import { IgnoredUpgrades } from './ignored-upgrades.ts'

/** The node:http server, with the routing of all servers. */
export interface RoutedServer {
  readonly routing: Routing
  readonly http: Server
}

/**
 * Creates the node:http server, which routes its requests and upgrades.
 *
 * @param platform - handles requests that no route matches
 * @param clients - ends requests that their clients leave unfinished
 * @throws TypeError when two routes have the same pattern
 */
export function createRoutedServer(
  protocols: readonly RoutedProtocol[],
  gatewayRoutes: readonly Route<RequestHandler>[],
  platform: RequestListener,
  clients: Clients,
): RoutedServer {
  const routing = createRouting(protocols, gatewayRoutes, platform)
  const ignored = new IgnoredUpgrades()
  const handle = (request: NodeRequest, response: NodeResponse) => {
    clients.watchRequest(request)
    ignored.onRequest(request, response)
    if (!rejectConflictingHost(request, response)) routing.onRequest(request, response)
  }
  const http = createNodeServer(
    {
      ...httpLimits,
      shouldUpgradeCallback: (request) =>
        (!hasConflictingHost(request) && routing.shouldUpgrade(request)) || ignored.shouldParseAgain(request),
    },
    guarded('http', handle, sendInternalError),
  )
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!ignored.parseAgain(http, request, socket, head)) routing.onUpgrade(request, socket, head)
  }
  const upgrade = guarded('upgrade', onUpgrade, (_, socket) => socket.destroy())
  removeHeaderCountLimit(http).on('upgrade', upgrade).on('checkExpectation', sendExpectationFailed)
  return { routing, http }
}

/**
 * Opens the ports for HTTP/1.1 and HTTP/2. The built-in HTTP/1.1 server, where it is configured, runs in front of
 * node:http.
 *
 * @throws FairleadError `CONFIG_INVALID` when a port is taken or the gateway cannot listen on the address
 */
export async function openServers(
  configuration: Configuration,
  { routing, http }: RoutedServer,
  dependencies: Dependencies,
  metrics: MetricsRegistry,
  log: Logger,
): Promise<Ports> {
  const { deadlines, accessControl, clients } = dependencies
  http.keepAliveTimeout = configuration.keepAliveTimeoutMs
  const builtin = configuration.builtinHttpServer
    ? createBuiltinServer(configuration, dependencies, routing, http)
    : undefined
  const http2 = createHttp2Server({ ...http2Limits.initial, onPeerEvent: clients.onPeerEvent })
  http2.on('session', clients.onSession)
  const listener = createHttp2Listener(routing, deadlines, (stream, headers, _, raw) =>
    serveOverHttp2(http, deadlines, stream, headers, raw),
  )
  http2.on('stream', clients.admitStreams(listener))
  const servers = { http1: http, builtin, http2, deadlines, isProxy: accessControl.trustsProxy, clients }
  const ports = await openPorts(configuration, servers, log)
  publishConnections(metrics, () => ports.connections(), builtin && (() => builtin.states()))
  return ports
}

function createBuiltinServer(
  { maxBodyBytes, keepAliveTimeoutMs }: Configuration,
  { memory }: Dependencies,
  { matchBuffered, onBuffered }: Routing,
  http: Server,
): Http1Server {
  return createHttp1Server(
    http,
    {
      maxBodyBytes,
      match: matchBuffered,
      newHeadState: () => ({}),
      timeouts: { idle: keepAliveTimeoutMs },
      timeoutResponse,
      reserve: ({ remoteAddress: address = '' }) => memory.reserve({ address }, 'pending'),
    },
    onBuffered,
  )
}
