import { Agent, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { serve } from '@fairlead/gateway-core/testing/serve'

vi.setConfig({ testTimeout: 60_000 })

describe('a running gateway applies', () => {
  let gateway: GatewayFixture
  let node: Awaited<ReturnType<typeof serve>>
  let received: (readonly [method: unknown, params: unknown])[] = []
  /** If set, the node delays its responses and stores their completions here. */
  let pendingResponses: (() => void)[] | undefined
  beforeAll(async () => {
    node = await serve(async (incoming, response) => {
      const { id, method, params } = JSON.parse(await readText(incoming)) as Record<string, unknown>
      received.push([method, params])
      response.setHeader('content-type', 'application/json')
      const send = () => response.end(JSON.stringify({ jsonrpc: '2.0', id, result: [] }))
      if (method === 'eth_feeHistory' && pendingResponses) pendingResponses.push(send)
      else send()
    })
    gateway = await gatewayFixture({ FAIRLEAD_LOG_REQUESTS: 'none' }, node.url)
  }, 60_000)
  afterAll(async () => {
    await gateway.stop()
    await node.stop()
  })
  afterEach(() => {
    gateway.apply({})
    received = []
  })

  interface CallOptions {
    readonly headers?: Readonly<Record<string, string>>
    readonly token?: string
    readonly params?: readonly unknown[]
    readonly body?: unknown
    readonly agent?: Agent
  }

  /** Calls on a separate connection, unless an agent keeps one. */
  function call(
    method: string,
    { headers = {}, token = gateway.first.token, params = [], body, agent }: CallOptions = {},
  ) {
    return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>(
      (resolve, reject) => {
        const options = {
          method: 'POST',
          agent: agent ?? (false as const),
          headers: { 'content-type': 'application/json', ...headers },
        }
        request(`${gateway.url}/${token}`, options, (response) => {
          readText(response)
            .then((text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
            .catch(reject)
        })
          .on('error', reject)
          .end(JSON.stringify(body ?? { jsonrpc: '2.0', id: 1, method, params }))
      },
    )
  }
  const statusOf = async (options: CallOptions = {}) => (await call('eth_gasPrice', options)).status

  it('the default rate limit', async () => {
    gateway.apply({ FAIRLEAD_REQUESTS_PER_SECOND: '1' })
    expect(await statusOf()).toBe(200)
    expect(await statusOf()).toBe(429)
    gateway.apply({})
    expect(await statusOf()).toBe(200)
  })

  it('the maximum numbers of concurrent and queued calls', async () => {
    pendingResponses = []
    gateway.apply({ FAIRLEAD_MAX_CONCURRENT_CALLS: '1', FAIRLEAD_MAX_QUEUED_CALLS: '0' })
    const slow = call('eth_feeHistory', { params: ['0x1', 'latest', []] })
    await vi.waitFor(() => expect(pendingResponses?.length).toBe(1), 20_000)
    expect(await statusOf()).toBe(503)
    gateway.apply({ FAIRLEAD_MAX_CONCURRENT_CALLS: '1', FAIRLEAD_QUEUE_MS: '20' })
    expect((await call('eth_gasPrice')).text).toContain('waited too long')
    gateway.apply({ FAIRLEAD_MAX_CONCURRENT_CALLS: '2' })
    expect(await statusOf()).toBe(200)
    for (const send of pendingResponses) send()
    pendingResponses = undefined
    expect((await slow).status).toBe(200)
  })

  it('the maximum number of unknown credentials per IP address', async () => {
    gateway.apply({ FAIRLEAD_MAX_UNKNOWN_CREDENTIALS: '1' })
    const token = 'unknown'
    const headers = { 'x-forwarded-for': '192.0.2.7' }
    // Other tests have sent some from this IP address.
    await statusOf({ token })
    expect(await statusOf({ token, headers })).toBe(429)
    // Behind a proxy that is now trusted, the client has a different IP address.
    gateway.apply({ FAIRLEAD_MAX_UNKNOWN_CREDENTIALS: '1', FAIRLEAD_TRUSTED_PROXIES: '127.0.0.1' })
    expect(await statusOf({ token, headers })).toBe(401)
    expect(await statusOf({ token, headers })).toBe(429)
    gateway.apply({ FAIRLEAD_MAX_UNKNOWN_CREDENTIALS: '100' })
    expect(await statusOf({ token })).toBe(401)
  })

  it('the CORS origin', async () => {
    const origin = 'https://app.example'
    expect((await call('eth_gasPrice', { headers: { origin } })).headers).toMatchObject({
      'access-control-allow-origin': '*',
    })
    gateway.apply({ FAIRLEAD_NODE_CORS_ORIGIN: origin })
    expect((await call('eth_gasPrice', { headers: { origin } })).headers).toMatchObject({
      'access-control-allow-origin': origin,
    })
  })

  it('the domain of the nodes', async () => {
    const host = 'another.nodes.example'
    // On one connection, where the gateway caches much of the previous request.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    expect(await statusOf({ headers: { host }, agent })).toBe(200)
    expect(await statusOf({ headers: { host }, agent })).toBe(200)
    gateway.apply({ FAIRLEAD_NODE_DOMAIN: 'nodes.example' })
    expect(await statusOf({ headers: { host }, agent })).toBe(401)
    const nodeHost = { host: `${gateway.first.nodeId}.nodes.example` }
    expect(await statusOf({ headers: nodeHost, agent })).toBe(200)
  })

  it('which requests are logged', async () => {
    const before = gateway.log().length
    gateway.apply({ FAIRLEAD_LOG_REQUESTS: 'all' })
    await call('eth_gasPrice')
    await vi.waitFor(() => expect(gateway.log().slice(before)).toContain('"status":200'), 20_000)
  })

  it('the maximum batch size and log range', async () => {
    const single = { jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] }
    gateway.apply({ FAIRLEAD_MAX_BATCH_ITEMS: '1', FAIRLEAD_MAX_LOG_RANGE: '5' })
    expect((await call('', { body: [single, single] })).text).toContain('batch')
    const params = [{ fromBlock: '0x1', toBlock: '0x64' }]
    expect((await call('eth_getLogs', { params })).text).toContain('at most 5 blocks')
    gateway.apply({ FAIRLEAD_UPSTREAM_LOG_RANGE: '50' })
    expect(JSON.parse((await call('eth_getLogs', { params })).text)).toMatchObject({ result: [] })
    expect(received.filter(([method]) => method === 'eth_getLogs').length).toBeGreaterThan(1)
  })

  it('the maximum number of connections', async () => {
    pendingResponses = []
    const slow = call('eth_feeHistory', { params: ['0x1', 'latest', []] })
    await vi.waitFor(() => expect(pendingResponses?.length).toBe(1), 20_000)
    // Not earlier, because connections of other tests may still be closing.
    gateway.apply({ FAIRLEAD_MAX_CONNECTIONS_PER_ADDRESS: '1' })
    await expect(statusOf()).rejects.toThrow(/hang up|ECONNRESET/)
    gateway.apply({})
    expect(await statusOf()).toBe(200)
    for (const send of pendingResponses) send()
    pendingResponses = undefined
    expect((await slow).status).toBe(200)
  })
})
