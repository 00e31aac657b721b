import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EvmDevnetChain, startDevnet } from '@fairlead/devnet'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { createMethodProber } from '@fairlead/gateway-evm/probe/method-prober'
import { createEvmUpstreams } from '@fairlead/gateway-evm/upstream/evm-upstreams'
import { memory } from '@fairlead/gateway-core/testing/memory'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { processSocketData } from '@fairlead/vitest/wait-for'
import {
  createMethodAvailabilityStore,
  recordNodeMethods,
} from '@fairlead/platform-server/records/node-methods'
import type { NodeMethodTable } from '@fairlead/platform-server/store/database'
import { instant } from '@fairlead/platform-server/store/instant'
import { pino } from 'pino'
import { type NodeProbeParts, startNodeProbe } from '@fairlead/gateway/testing/probe-nodes'
import { responseWithCallId } from '@fairlead/gateway-core/testing/with-call-id'

const probing = { FAIRLEAD_PROBE_NODES: 'true', FAIRLEAD_LOG_LEVEL: 'info' }
const patience = { timeout: 50_000, interval: 50 }

type Row = Pick<NodeMethodTable, 'method' | 'transport' | 'available' | 'withheld' | 'note'>

function rows({ store }: GatewayFixture): Promise<Row[]> {
  return store.db
    .selectFrom('node_methods')
    .select(['method', 'transport', 'available', 'withheld', 'note'])
    .execute()
}

async function fixture(upstream: string, embedded: Record<string, string> = {}): Promise<GatewayFixture> {
  const gateway = await gatewayFixture(probing, upstream, embedded)
  onTestFinished(gateway.stop)
  return gateway
}

async function call(gateway: GatewayFixture, method: string): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${gateway.url}/${gateway.first.token}`, { method: 'POST', headers, body })).json()
}

describe('the gateway probes its nodes', { timeout: 60_000 }, () => {
  let directory: string
  let chain: EvmDevnetChain
  let stopDevnet: () => Promise<void>
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fairlead-probe-'))
    const devnet = await startDevnet({ dataDirectory: directory, chains: ['evm'] })
    stopDevnet = () => devnet.stop()
    ;[chain] = devnet.chains as [EvmDevnetChain]
  }, 60_000)
  afterAll(async () => {
    await stopDevnet()
    await rm(directory, { recursive: true, force: true })
  })

  async function head(): Promise<unknown> {
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",true]}'
    const headers = { 'content-type': 'application/json' }
    return (await fetch(chain.url, { method: 'POST', headers, body })).json()
  }

  it('stores and returns the offered methods, and withholds the others', async () => {
    const before = await head()
    const gateway = await fixture('devnet', { evm: chain.url })
    await vi.waitFor(async () => expect(await rows(gateway)).not.toEqual([]), patience)
    expect(await head()).toEqual(before)
    const found = await rows(gateway)
    const rowOf = (method: string, transport = 'http') =>
      found.find((row) => row.method === method && row.transport === transport)
    expect(rowOf('eth_chainId')).toMatchObject({ available: true, withheld: false, note: '' })
    expect(rowOf('eth_chainId', 'websocket')).toMatchObject({ available: true })
    expect(rowOf('eth_subscribe', 'websocket')).toMatchObject({ available: true })
    expect(rowOf('eth_subscribe')).toBeUndefined()
    expect(rowOf('debug_traceCallMany')).toMatchObject({ available: true })
    const missing = { available: false, withheld: true, note: 'not offered by the node' }
    expect(rowOf('net_peerCount')).toMatchObject(missing)

    const { nodeId, apiKey } = gateway.first
    const response = await fetch(`${gateway.url}/v2/nodes/${nodeId}/methods/`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    const { results } = (await response.json()) as { results: { method: string; available: boolean }[] }
    expect(results.filter(({ available }) => available === null)).toEqual([])

    await vi.waitFor(async () => {
      expect(await call(gateway, 'net_peerCount')).toMatchObject({
        error: { code: -32601, message: expect.stringContaining('This node') },
      })
    }, patience)
    const lines = gateway
      .log()
      .split('\n')
      .filter((line) => line.includes('node methods probed'))
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ node_id: nodeId, failed: 0, refused: 0 })
    expect(gateway.log()).not.toMatch(/could not be probed|node request failed/)
  })

  it('and keeps the last result when a node does not respond', async () => {
    const node = await startTestNode((_, response) => response.writeHead(503).end())
    const gateway = await gatewayFixture({ ...probing, FAIRLEAD_PROBE_NODES: 'false' }, node)
    onTestFinished(gateway.stop)
    const storedRow = {
      method: 'eth_call',
      transport: 'http',
      available: false,
      withheld: true,
      note: 'not offered by the node',
    } as const
    const { nodeId } = gateway.first
    await recordNodeMethods(gateway.store.db, gateway.store.encryptor, { nodeId, upstreams: { evm: node } }, [
      { ...storedRow, code: null, latencyMs: 1 },
    ])
    await gateway.store.db.updateTable('node_methods').set({ probed_at: '2026-01-02T03:04:05Z' }).execute()
    const lines = memory()
    const upstreams = createEvmUpstreams(1_000, {}, new MemoryLedger(2 ** 30))
    const log = pino({ level: 'info', base: null, timestamp: false }, lines.stream)
    const store = createMethodAvailabilityStore(gateway.store, ['evm'])
    const probe = startNodeProbe({
      store,
      probers: [createMethodProber(upstreams, log, 1_000)],
      log,
      enabled: true,
    })
    await vi.waitFor(() => expect(lines.text()).toContain('node methods could not be probed'), patience)
    await probe.end()
    await upstreams.close()
    expect(await rows(gateway)).toEqual([storedRow])
    expect(JSON.parse(lines.text())).toMatchObject({ node_id: nodeId, reason: 'The node returns HTTP 502.' })
    expect(lines.text()).not.toContain(new URL(node).port)
  })

  it('and stops with the gateway, also during a probe', async () => {
    let requestCount = 0
    const node = await startTestNode(async (request, response) => {
      requestCount += 1
      if (requestCount > 5) return
      response.setHeader('content-type', 'application/json')
      response.end(await responseWithCallId(request, '{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
    })
    const gateway = await gatewayFixture(probing, node)
    await vi.waitFor(() => expect(requestCount).toBeGreaterThan(5), patience)
    await gateway.stop()
    const before = requestCount
    expect(gateway.log()).not.toContain('probed')
    // A request that was sent would have arrived by then.
    await processSocketData(10)
    expect(requestCount).toBe(before)
  })

  it('unless it is disabled', async () => {
    let requestCount = 0
    const node = await startTestNode((_, response) => {
      requestCount += 1
      response.end()
    })
    const gateway = await gatewayFixture({ ...probing, FAIRLEAD_PROBE_NODES: 'false' }, node)
    onTestFinished(gateway.stop)
    // By this time, the node of a gateway that starts later and probes has received requests.
    const { url, state } = await changingNode()
    await fixture(url)
    await vi.waitFor(() => expect(state.requested.length).toBeGreaterThan(0), patience)
    expect(requestCount).toBe(0)
  })
})

/** A node whose client version, namespaces and methods can be changed while it runs. */
async function changingNode() {
  const state = {
    version: 'Geth/v1',
    modules: ['eth'] as readonly string[],
    isUnreachable: false,
    lacking: '',
    requested: [] as string[],
  }
  const onRequest: { current: (method: string) => void } = { current: () => undefined }
  const url = await startTestNode(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { id, method } = JSON.parse(text) as { id: unknown; method: string }
    state.requested.push(method)
    onRequest.current(method)
    if (state.isUnreachable) {
      response.destroy()
      return
    }
    const results: Readonly<Record<string, unknown>> = {
      web3_clientVersion: state.version,
      rpc_modules: Object.fromEntries(state.modules.map((name) => [name, '1.0'])),
    }
    const isOffered =
      method !== state.lacking && (method in results || state.modules.includes(method.split('_')[0] ?? ''))
    const missing = { code: -32601, message: `the method ${method} does not exist/is not available` }
    const outcome = isOffered ? { result: results[method] ?? '0x1' } : { error: missing }
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
  })
  return { url, state, onRequest }
}

describe('a probe', { timeout: 60_000 }, () => {
  async function probed(options: Partial<Pick<NodeProbeParts, 'checkMs' | 'enabled' | 'isScheduled'>> = {}) {
    const node = await changingNode()
    const gateway = await gatewayFixture({ ...probing, FAIRLEAD_PROBE_NODES: 'false' }, node.url)
    onTestFinished(gateway.stop)
    const lines = memory()
    const log = pino({ level: 'info' }, lines.stream)
    const upstreams = createEvmUpstreams(2_000, {}, new MemoryLedger(2 ** 30))
    const probe = startNodeProbe({
      store: createMethodAvailabilityStore(gateway.store, ['evm']),
      probers: [createMethodProber(upstreams, log, 2_000)],
      log,
      enabled: true,
      checkMs: 50,
      ...options,
    })
    onTestFinished(async () => {
      await probe.end()
      await upstreams.close()
    })
    const count = () => lines.text().split('node methods probed').length - 1
    const rowOf = async (method: string) =>
      (await rows(gateway)).find((row) => row.method === method && row.transport === 'http')
    const state = (method: string) =>
      vi.waitFor(async () => {
        const row = await rowOf(method)
        if (!row) throw new Error('not probed yet')
        return row.withheld ? 'missing' : 'there'
      }, patience)
    return { node, gateway, probe, lines, count, rowOf, state }
  }

  it.each(['txpool_status', 'debug_getRawHeader'])(
    'detects a node that restarts with more namespaces: %s',
    async (method) => {
      const { node, state, rowOf } = await probed()
      expect(await state(method)).toBe('missing')
      node.state.modules = ['eth', 'txpool', 'debug']
      await vi.waitFor(async () => expect(await rowOf(method)).toMatchObject({ withheld: false }), patience)
    },
  )

  it('runs when the version changes, and when the same version was unreachable', async () => {
    const { node, count } = await probed()
    await vi.waitFor(() => expect(count()).toBe(1), patience)
    node.state.version = 'Geth/v2'
    await vi.waitFor(() => expect(count()).toBe(2), patience)
    node.state.isUnreachable = true
    const before = node.state.requested.length
    await vi.waitFor(() => expect(node.state.requested.length).toBeGreaterThan(before + 4), patience)
    expect(count()).toBe(2)
    node.state.isUnreachable = false
    await vi.waitFor(() => expect(count()).toBe(3), patience)
  })

  it('is discarded when the version changes during the probe', async () => {
    const { node, gateway, probe, lines, count, state } = await probed({ enabled: false })
    node.onRequest.current = (method) => {
      if (method !== 'eth_getBalance' || node.state.version === 'Geth/v2') return
      node.state.version = 'Geth/v2'
      node.state.modules = ['eth', 'txpool']
    }
    probe.request(gateway.first.nodeId)
    await vi.waitFor(() => expect(count()).toBe(1), patience)
    expect(lines.text()).toContain('node changed while its methods were probed')
    expect(await state('txpool_status')).toBe('there')
  })

  it('runs once when an upstream rejects a method that counts as offered', async () => {
    const { node, gateway, probe, count, rowOf } = await probed({ checkMs: 60_000 })
    await vi.waitFor(() => expect(count()).toBe(1), patience)
    expect(await rowOf('eth_getProof')).toMatchObject({ withheld: false })
    node.state.modules = []
    for (let rejections = 0; rejections < 10; rejections++) probe.methodRejected(gateway.first.nodeId)
    await vi.waitFor(
      async () => expect(await rowOf('eth_gasPrice')).toMatchObject({ withheld: true }),
      patience,
    )
    for (let rejections = 0; rejections < 10; rejections++) probe.methodRejected(gateway.first.nodeId)
    expect(count()).toBe(2)
  })

  it('runs after a rejection even when another process runs the schedule', async () => {
    const { gateway, probe, count } = await probed({ isScheduled: false })
    probe.methodRejected(gateway.first.nodeId)
    await vi.waitFor(() => expect(count()).toBe(1), patience)
  })

  it('runs when a client gets an error for a method that counts as offered', async () => {
    const node = await changingNode()
    const gateway = await fixture(node.url)
    const isWithheld = async () =>
      (await rows(gateway)).find(({ method, transport }) => method === 'eth_gasPrice' && transport === 'http')
        ?.withheld
    await vi.waitFor(async () => expect(await isWithheld()).toBe(false), patience)
    node.state.lacking = 'eth_gasPrice'
    expect(await call(gateway, 'eth_gasPrice')).toMatchObject({ error: { code: -32601 } })
    await vi.waitFor(async () => expect(await isWithheld()).toBe(true), patience)
  })

  it('runs on request, even when the schedule is disabled', async () => {
    const node = await changingNode()
    const gateway = await gatewayFixture({ ...probing, FAIRLEAD_PROBE_NODES: 'false' }, node.url)
    onTestFinished(gateway.stop)
    const { nodeId, apiKey } = gateway.first
    const url = `${gateway.url}/v2/nodes/${nodeId}/methods/probe/`
    const response = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${apiKey}` } })
    const { node: id, requested_at: requestedAt } = (await response.json()) as Record<string, string>
    expect([response.status, id]).toEqual([202, nodeId])
    await vi.waitFor(async () => expect(await rows(gateway)).not.toEqual([]), patience)
    const [{ probedAt } = { probedAt: '' }] = await gateway.store.db
      .selectFrom('node_methods')
      .select(instant('probed_at').as('probedAt'))
      .execute()
    expect(probedAt > String(requestedAt)).toBe(true)
  })
})
