import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { FairleadError } from '@fairlead/core'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { createDirectory } from './access/authenticate/directory.ts'
import { createUpstreams } from './access/forward/upstreams.ts'
import { createJsonRpcListener } from './access/listen/json-rpc-http.ts'
import { createWebSocketListener } from './access/listen/json-rpc-websocket.ts'
import { createMeter } from './access/meter/meter.ts'
import { createSubscriptionHubs } from './access/subscribe/subscription-hubs.ts'
import type { Configuration } from './configuration/options.ts'
import { createPlatformApi } from './control/platform-api/create-platform-api.ts'
import type { Store } from './control/store/open-store.ts'
import { feedDirectory } from './directory-feed.ts'
import { landingListener } from './landing/landing-listener.ts'
import { createMetrics } from './observe/metrics.ts'
import { createOperationsListener } from './observe/operations-listener.ts'
import { probeOwnNodes } from './probe/probe-nodes.ts'

/** A running service. */
export interface Gateway {
  /** Address of the listening socket, for example `http://127.0.0.1:8645`. */
  readonly url: string
  /** Lets the requests in flight end, at most ten seconds, and closes everything that was opened here. */
  stop(): Promise<void>
}

/** What a service runs on; the caller opened it and closes it. */
export interface GatewayParts {
  readonly store: Store
  readonly log: Logger
  /** Addresses of the embedded chains by protocol, for nodes whose upstream is `devnet`. */
  readonly embedded?: Readonly<Record<string, string>>
}

const drainMs = 10_000
const tidyMs = 50

/**
 * Starts the service: the platform API and the node access plane on one port.
 *
 * @param configuration - parsed configuration
 * @param parts - store, log and embedded chains
 * @returns the running service
 * @throws FairleadError `CONFIG_INVALID` when the port is taken or the address cannot be listened on
 */
export async function startGateway(configuration: Configuration, parts: GatewayParts): Promise<Gateway> {
  const { store, log } = parts
  const { websocket: embeddedSocket, ...embedded } = parts.embedded ?? {}
  const directory = createDirectory()
  const endFeed = await feedDirectory(store, directory, log)
  const upstreams = createUpstreams(configuration.upstreamTimeoutMs, embedded, configuration.maxHeldBytes)
  const hubs = createSubscriptionHubs({
    upstreams,
    embeddedSocket,
    pollMs: configuration.headPollMs,
    timeoutMs: configuration.upstreamTimeoutMs,
    log,
  })
  const metrics = createMetrics(
    () => directory.size,
    () => hubs.upstreamSubscriptions(),
  )
  const operations = createOperationsListener({
    registry: metrics.registry,
    metricsToken: configuration.metricsToken,
    ready: async () => {
      await sql`select 1`
        .execute(store.db)
        .catch(() => Promise.reject(new Error('the database does not answer')))
      await upstreams
        .embeddedAnswer(AbortSignal.timeout(1_000))
        .catch(() => Promise.reject(new Error('an embedded chain does not answer')))
    },
  })
  const plane = {
    directory,
    upstreams,
    meter: createMeter(metrics.nodeRequests, metrics.nodeRequestDuration),
    log,
    maxBodyBytes: configuration.maxBodyBytes,
    maxBatchItems: configuration.maxBatchItems,
    timeoutMs: configuration.upstreamTimeoutMs,
    maxLogRange: configuration.maxLogRange,
    corsOrigin: configuration.nodeCorsOrigin,
    nodeDomain: configuration.nodeDomain,
  }
  const nodes = createJsonRpcListener(plane)
  const webSockets = createWebSocketListener({
    ...plane,
    hubs,
    metrics: metrics.webSockets,
    maxCalls: configuration.maxWebSocketCalls,
    maxSubscriptions: configuration.maxWebSocketSubscriptions,
    maxBufferBytes: configuration.maxWebSocketBufferBytes,
    pingMs: configuration.webSocketPingMs,
  })
  const endProbe = probeOwnNodes({
    store,
    upstreams,
    log,
    timeoutMs: configuration.upstreamTimeoutMs,
    enabled: configuration.probeNodes,
  })
  // Browsers connect in advance, and the server counts such a connection as busy until it is used.
  const unused = new Set<Socket>()
  const closeOwn = async () => {
    await endProbe()
    await endFeed()
    hubs.close()
    await upstreams.close()
  }
  const app = await createPlatformApi({
    store,
    log,
    publicUrl: configuration.publicUrl,
    requireHttps: configuration.requireHttps,
    trustProxy: configuration.trustProxy,
    serverFactory: (platform) => {
      const options = { keepAliveTimeout: 60_000, shouldUpgradeCallback: webSockets.takes }
      const server = createServer(options, (request, response) => {
        unused.delete(request.socket)
        const taken =
          operations(request, response) ||
          landingListener(request, response) ||
          webSockets.refuse(request, response) ||
          nodes(request, response)
        if (!taken) platform(request, response)
      })
      server.on('upgrade', (request, socket, head) => {
        unused.delete(request.socket)
        webSockets.upgrade(request, socket, head)
      })
      return server.on('connection', (socket: Socket) => {
        unused.add(socket)
        socket.once('close', () => unused.delete(socket))
      })
    },
  }).catch(async (error: unknown) => {
    await closeOwn()
    throw error
  })
  const stop = async () => {
    const impatience = setTimeout(() => app.server.closeAllConnections(), drainMs)
    // A connection that was busy when the server closed would be kept alive after its last answer.
    const tidying = setInterval(() => {
      app.server.closeIdleConnections()
      for (const socket of unused) socket.destroy()
    }, tidyMs)
    await Promise.all([app.close(), webSockets.stop(drainMs)])
    clearTimeout(impatience)
    clearInterval(tidying)
    await closeOwn()
  }
  try {
    const url = await listen(app, configuration)
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function listen(app: FastifyInstance, { host, port }: Configuration): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const isHost = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)
    const rule =
      code === 'EADDRINUSE'
        ? `is taken: ${port}. Set FAIRLEAD_PORT to another one, or to 0 for a free one`
        : `cannot be listened on: ${code}`
    throw new FairleadError('CONFIG_INVALID', { option: isHost ? 'host' : 'port', rule })
  }
  const address = app.server.address() as AddressInfo
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
