import { pino } from 'pino'
import type { Registry } from 'prom-client'
import { parseConfiguration, startGateway } from '@fairlead/gateway'
import { type ProtocolModule, protocolModules } from '@fairlead/gateway/protocol'
import { memory } from '@fairlead/gateway-core/testing/memory'
import { serve } from '@fairlead/gateway-core/testing/serve'
import { ensureFirstStart, type FirstStart } from '@fairlead/platform-server/first-start/first-start'
import type { Store } from '@fairlead/platform-server/store/open-store'
import { anyDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { rollupModule } from './rollup.ts'

/** A gateway that serves the rollup API in addition to all other protocols, with a fresh database. */
export interface RollupGateway {
  readonly url: string
  readonly store: Store
  readonly first: Extract<FirstStart, { created: true }>
  call(path: string): Promise<Response>
  metrics(): Promise<string>
  log(): string
  /** Returns all received traces, as text. */
  traces(): string
  /** Changes an option of the rollup while the gateway runs. */
  setNotice(notice: string): void
  drain(): void
  /** Stops only the gateway. */
  stopGateway(): Promise<void>
  stop(): Promise<void>
}

const responses: Readonly<Record<string, unknown>> = { '/status': { height: 7 }, '/blocks/7': { number: 7 } }

/** Starts the gateway, a rollup node and a trace collector. */
export async function rollupGateway(own: readonly ProtocolModule[] = [rollupModule]): Promise<RollupGateway> {
  const modules = [...protocolModules, ...own]
  const database = await anyDatabase()
  const store = await database.open()
  let traces = ''
  const upstream = await serveJson((path) => responses[path])
  const collector = await serveJson((_, body) => {
    traces += body
    return {}
  })
  const first = await ensureFirstStart(store, {
    protocols: modules.map(({ description }) => description),
    upstreams: { rollup: upstream.url },
  })
  if (!first.created) throw new Error('The database was not empty.')
  const configurationOf = (rollupNotice: string) => ({
    ...parseConfiguration({
      FAIRLEAD_PORT: '0',
      FAIRLEAD_PROBE_NODES: 'false',
      FAIRLEAD_LOG_REQUESTS: 'all',
      FAIRLEAD_TRACING_ENDPOINT: collector.url,
      FAIRLEAD_TRACING_RATIO: '1',
    }),
    rollupUpstream: undefined,
    rollupNotice,
  })
  const cleanUp = async () => {
    await Promise.all([upstream.stop(), collector.stop()])
    await database.remove()
  }
  const lines = memory()
  let registry: Registry | undefined
  const gateway = await startGateway(configurationOf('one'), {
    store,
    log: pino({ level: 'info' }, lines.stream),
    modules,
    publishMetrics: (published) => {
      registry = published
      return () => published.metrics()
    },
  }).catch(async (error: unknown) => {
    await cleanUp()
    throw error
  })
  let stopping: Promise<void> | undefined
  const stopGateway = () => (stopping ??= gateway.stop())
  return {
    url: gateway.url,
    store,
    first,
    call: (path) => fetch(`${gateway.url}/${first.token}/rollup${path}`),
    metrics: async () => (await registry?.metrics()) ?? '',
    log: lines.text,
    traces: () => traces,
    setNotice: (notice) => gateway.apply(configurationOf(notice)),
    drain: () => gateway.drain(),
    stopGateway,
    stop: async () => {
      await stopGateway()
      await cleanUp()
    },
  }
}

function serveJson(responseTo: (path: string, body: string) => unknown) {
  return serve((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const result = responseTo(request.url ?? '', body)
      response.writeHead(result === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(result ?? {}))
    })
  })
}
