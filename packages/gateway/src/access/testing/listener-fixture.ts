import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { sha256Hex } from '../../credentials/secret.ts'
import { createLog } from '../../observe/log.ts'
import { createMetrics } from '../../observe/metrics.ts'
import { createDirectory } from '../authenticate/directory.ts'
import { createUpstreams } from '../forward/upstreams.ts'
import { type AccessPlane, createJsonRpcListener } from '../listen/json-rpc-http.ts'
import { createMeter } from '../meter/meter.ts'
import { memory } from './gateway-fixture.ts'

/** Token that opens the node of {@link listenTo}. */
export const token = 'fixture-token'

/** The access plane alone, in front of one node. */
export interface ListenerFixture {
  readonly url: string
  readonly port: number
  log(): string
  metrics(): Promise<string>
  stop(): Promise<void>
}

/** Starts the access plane without a database: its directory holds one token. */
export async function listenTo(
  upstream: string,
  options: Partial<Pick<AccessPlane, 'maxBodyBytes' | 'maxBatchItems' | 'timeoutMs'>> = {},
): Promise<ListenerFixture> {
  const directory = createDirectory()
  const grant = {
    credentialId: 'credential',
    kind: 'token',
    nodeId: 'node',
    projectId: 'project',
    organizationId: 'organization',
    chain: 'evm',
    network: 'devnet',
    protocols: ['evm'],
    upstreams: { evm: upstream },
  } as const
  directory.replace([{ sha256: sha256Hex(token), grant }])
  const { timeoutMs = 20_000 } = options
  const upstreams = createUpstreams(timeoutMs, {})
  const metrics = createMetrics(() => directory.size)
  const lines = memory()
  const listener = createJsonRpcListener({
    directory,
    upstreams,
    meter: createMeter(metrics.nodeRequests, metrics.nodeRequestDuration),
    log: createLog('debug', lines.stream),
    maxBodyBytes: 1_048_576,
    maxBatchItems: 1_000,
    corsOrigin: '*',
    nodeDomain: undefined,
    ...options,
    timeoutMs,
  })
  const server = await serve((request, response) => {
    if (!listener(request, response)) response.writeHead(404).end()
  })
  return {
    ...server,
    log: lines.text,
    metrics: () => metrics.registry.metrics(),
    stop: async () => {
      await server.stop()
      await upstreams.close()
    },
  }
}

/** What a server does with a request. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => unknown

/** Starts an HTTP server on a free port. */
export async function serve(
  behaviour: Behaviour,
): Promise<{ readonly url: string; readonly port: number; stop(): Promise<void> }> {
  const server = createServer((request, response) => void behaviour(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, port, stop }
}

/** As {@link serve}, until the running test ends: a node that answers as the test wants. */
export async function nodeThat(behaviour: Behaviour): Promise<string> {
  const server = await serve(behaviour)
  onTestFinished(server.stop)
  return server.url
}

/** As {@link listenTo}, until the running test ends. */
export async function inFrontOf(...args: Parameters<typeof listenTo>): Promise<ListenerFixture> {
  const fixture = await listenTo(...args)
  onTestFinished(fixture.stop)
  return fixture
}
