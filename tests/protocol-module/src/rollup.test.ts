import { pino } from 'pino'
import type { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { parseConfiguration, startGateway } from '@fairlead/gateway'
import { protocolModules } from '@fairlead/gateway/protocol'
import { serve as nodeServer } from '@fairlead/gateway-core/testing/serve'
import { memory } from '@fairlead/gateway-core/testing/memory'
import { putAccessRule } from '@fairlead/platform-server/records/access-rules'
import { putLimits } from '@fairlead/platform-server/records/limits'
import { ensureFirstStart, type FirstStart } from '@fairlead/platform-server/first-start/first-start'
import type { Store } from '@fairlead/platform-server/store/open-store'
import { anyDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { rollupModule } from './rollup.ts'

const modules = [...protocolModules, rollupModule]
const later = { timeout: 50_000 }

let store: Store
let first: Extract<FirstStart, { created: true }>
let gateway: Awaited<ReturnType<typeof startGateway>>
let registry: Registry
let traces = ''
const lines = memory()
const stops: (() => Promise<unknown>)[] = []

const configurationOf = (rollupNotice: string, tracingEndpoint: string) => ({
  ...parseConfiguration({
    FAIRLEAD_PORT: '0',
    FAIRLEAD_PROBE_NODES: 'false',
    FAIRLEAD_LOG_REQUESTS: 'all',
    FAIRLEAD_TRACING_ENDPOINT: tracingEndpoint,
    FAIRLEAD_TRACING_RATIO: '1',
  }),
  rollupUpstream: undefined,
  rollupNotice,
})
let apply: (notice: string) => void

beforeAll(async () => {
  const database = await anyDatabase()
  stops.push(() => database.remove())
  store = await database.open()
  const answers: Readonly<Record<string, unknown>> = { '/status': { height: 7 }, '/blocks/7': { number: 7 } }
  const upstream = await untilTheEnd((path) => answers[path])
  const collector = await untilTheEnd((_, body) => {
    traces += body
    return {}
  })
  const made = await ensureFirstStart(store, {
    protocols: modules.map(({ description }) => description),
    upstreams: { rollup: upstream },
  })
  if (!made.created) throw new Error('The database was not empty.')
  first = made
  const configuration = configurationOf('one', collector)
  gateway = await startGateway(configuration, {
    store,
    log: pino({ level: 'info' }, lines.stream),
    modules,
    publishMetrics: (published) => {
      registry = published
      return () => published.metrics()
    },
  })
  apply = (notice) => gateway.apply(configurationOf(notice, collector))
}, 60_000)

afterAll(async () => {
  for (const stop of stops.toReversed()) await stop()
})

function call(path: string): Promise<Response> {
  return fetch(`${gateway.url}/${first.token}/rollup${path}`)
}

it('is served beside the other protocols, in the shape of its own API', async () => {
  const status = await call('/status')
  expect([status.status, await status.json()]).toEqual([200, { height: 7 }])
  expect(status.headers.get('x-notice')).toBe('one')
  expect(await (await call('/blocks/7')).json()).toEqual({ number: 7 })
  const unknown = await call('/other')
  expect([unknown.status, await unknown.json()]).toEqual([
    404,
    { error: { status: 404, message: 'The rollup API has no such path.' } },
  ])
  const stranger = await fetch(`${gateway.url}/unknown-token/rollup/status`)
  expect([stranger.status, await stranger.json()]).toMatchObject([401, { error: { status: 401 } }])
  // The token opens no other protocol.
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
  const headers = { 'content-type': 'application/json' }
  const evm = await fetch(`${gateway.url}/${first.token}`, { method: 'POST', body, headers })
  expect(evm.status).toBe(404)
})

it('obeys a rule and a rate', async () => {
  const { nodeId } = first
  await putAccessRule(store.db, { nodeId, kind: 'method', value: 'getBlock', action: 'deny' })
  await vi.waitFor(async () => expect((await call('/blocks/7')).status).toBe(403), later)
  expect((await call('/status')).status).toBe(200)
  const owner = { kind: 'node', id: nodeId } as const
  await putLimits(store.db, owner, { rate: { requestsPerSecond: 1, burst: 1 } })
  await vi.waitFor(async () => expect((await call('/status')).status).toBe(429), later)
  await putLimits(store.db, owner, undefined)
  await vi.waitFor(async () => {
    const statuses = await Promise.all([1, 2, 3].map(async () => (await call('/status')).status))
    expect(statuses).toEqual([200, 200, 200])
  }, later)
})

it('counts in the metrics, in the usage report and in traces', async () => {
  expect(await registry.metrics()).toMatch(
    /fairlead_node_requests_total\{protocol="rollup",method="getStatus",status="2xx"\} \d/,
  )
  await vi.waitFor(async () => {
    const response = await fetch(`${gateway.url}/v2/reporting/node-usage/export/?group_by=method`, {
      headers: { authorization: `Bearer ${first.apiKey}` },
    })
    expect(await response.text()).toMatch(/,rollup,.*,getStatus,/)
  }, later)
  await vi.waitFor(() => expect(traces).toContain('"rollup"'), later)
  expect(traces).toContain('getStatus')
  expect(lines.text()).toMatch(/"method":"getStatus","status":200/)
})

it('takes part in health and in reconfiguration', async () => {
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
  apply('two')
  expect((await call('/status')).headers.get('x-notice')).toBe('two')
})

it('answers calls in flight while the gateway drains, and ends with it', async () => {
  gateway.drain()
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(503)
  expect((await call('/status')).status).toBe(200)
  await gateway.stop()
  await expect(call('/status')).rejects.toThrow()
})

/** A server that answers with JSON until the tests end. */
async function untilTheEnd(answer: (path: string, body: string) => unknown): Promise<string> {
  const server = await nodeServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const found = answer(request.url ?? '', body)
      response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(found ?? {}))
    })
  })
  stops.push(server.stop)
  return server.url
}
