import { describe, expect, it, vi } from 'vitest'
import { grpcInFrontOf } from '@fairlead/gateway-grpc/testing/grpc-fixture'
import { grpcJs } from '@fairlead/gateway-grpc/testing/grpc-js-client'
import { grpcNode } from '@fairlead/gateway-grpc/testing/grpc-node'
import { beaconInFrontOf, beaconToken } from '@fairlead/gateway-beacon/testing/beacon-fixture'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { inFrontOf, token } from '@fairlead/gateway-evm/testing/listener-fixture'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'
import { responseWithCallId } from '@fairlead/gateway-core/testing/with-call-id'

const denied = [{ kind: 'ip', value: '127.0.0.1', action: 'deny' }] as const

/** Starts a node whose chain has a new block at each request. */
function growingChain(): Promise<string> {
  let height = 1
  return startTestNode((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(text) as { id: unknown; method: string; params: unknown[] }
      const number = params[0] === 'latest' || method === 'eth_blockNumber' ? ++height : Number(params[0])
      const block = { number: hex(number), hash: hashOf(number), parentHash: hashOf(number - 1) }
      const result = method === 'eth_blockNumber' ? hex(number) : block
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
}

const hex = (number: number) => `0x${number.toString(16)}`
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`

describe('a WebSocket', () => {
  it('receives notifications until the quota is used up, and then closes', async () => {
    const limits = { credential: { unitsPerMonth: 3 } }
    const gateway = await inFrontOf(await growingChain(), { grant: { limits }, pollMs: 20 })
    const client = await openWebSocket(gateway.wsUrl)
    const id = await client.subscribe('newHeads')
    expect(await client.closed).toEqual([4429, 'quota exceeded'])
    expect(client.results(id).length).toBeGreaterThanOrEqual(2)
  })

  it('closes when a rule of the node denies it', async () => {
    const gateway = await inFrontOf(await growingChain())
    const client = await openWebSocket(gateway.wsUrl)
    gateway.change({ accessRules: [{ kind: 'method', value: 'debug_*', action: 'deny' }] })
    expect(await client.call('debug_traceBlockByNumber', ['0x1'])).toMatchObject({
      error: { code: -32600, data: { rule: 'method' } },
    })
    gateway.change({ accessRules: denied })
    expect(await client.closed).toEqual([4403, 'forbidden by an access rule'])
  })

  it('rejects a message that exceeds the limit of its node', async () => {
    const limits = { node: { maxBodyBytes: 200, maxBatchItems: 2 } }
    const gateway = await inFrontOf(await growingChain(), { grant: { limits } })
    const client = await openWebSocket(gateway.wsUrl)
    const single = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' }
    const first = await client.request(JSON.stringify([single, single, single]))
    expect(first).toMatchObject({ id: null, error: { data: { max_items: 2 } } })
    client.socket.send(JSON.stringify({ ...single, id: 'x'.repeat(300) }))
    expect((await client.closed)[0]).toBe(1009)
  })
})

describe('HTTP', () => {
  it('applies the limits of the node where they are lower', async () => {
    const limits = {
      credential: { maxBodyBytes: 300 },
      node: { maxBatchItems: 2 },
      project: { maxLogRange: 5 },
    }
    const gateway = await inFrontOf(await growingChain(), { grant: { limits } })
    const send = async (body: string) => {
      const response = await fetch(`${gateway.url}/${token}`, { method: 'POST', body })
      return [response.status, await response.json()]
    }
    const call = (method: string, params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })
    expect(await send('x'.repeat(301))).toMatchObject([413, { error: { data: { max_bytes: 300 } } }])
    const batch = [1, 2, 3].map(() => call('eth_blockNumber', []))
    const rejection = { error: { data: { max_items: 2 } } }
    expect(await send(JSON.stringify(batch))).toMatchObject([200, rejection])
    const logs = call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x6' }])
    expect(await send(JSON.stringify(logs))).toMatchObject([
      200,
      { error: { code: -32602, data: { max_range: 5, from: '0x1', to: '0x5' } } },
    ])
  })

  it('allows the origins that the rules of the node allow', async () => {
    const accessRules = [{ kind: 'origin', value: 'https://app.example', action: 'allow' }] as const
    const gateway = await inFrontOf(await growingChain(), {
      grant: { accessRules },
      corsOrigin: 'https://everybody.example',
    })
    const preflight = async (method: string, origin: string) => {
      const body = method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}' : null
      const { status, headers } = await fetch(`${gateway.url}/${token}`, {
        method,
        body,
        headers: { origin },
      })
      return [status, headers.get('access-control-allow-origin'), headers.get('vary')]
    }
    for (const method of ['OPTIONS', 'POST']) {
      const status = method === 'POST' ? 200 : 204
      expect(await preflight(method, 'https://app.example')).toEqual([
        status,
        'https://app.example',
        'origin',
      ])
    }
    expect(await preflight('OPTIONS', 'https://evil.test')).toEqual([
      204,
      'https://everybody.example',
      'origin',
    ])
    expect(await preflight('POST', 'https://evil.test')).toEqual([403, 'https://everybody.example', 'origin'])
    const headers = { origin: 'https://app.example' }
    const client = await openWebSocket(gateway.wsUrl, { headers })
    expect(await client.call('eth_blockNumber')).toHaveProperty('result')
    client.socket.terminate()
  })
})

describe('a stream', () => {
  const sending = () =>
    startTestNode((request, response) => {
      request.resume()
      if (!request.url?.startsWith('/eth/v1/events')) return response.end('{}')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const timer = setInterval(() => response.write('event: head\ndata: {"slot":"1"}\n\n'), 20)
      return response.once('close', () => clearInterval(timer))
    })
  const follow = (url: string) =>
    fetch(`${url}/beacon/${beaconToken}/eth/v1/events?topics=head`, {
      headers: { accept: 'text/event-stream' },
    })

  it('of events ends when the quota is used up', async () => {
    const limits = { credential: { unitsPerMonth: 4 } }
    const gateway = await beaconInFrontOf(await sending(), { grant: { limits } })
    const text = await (await follow(gateway.url)).text()
    expect(text.match(/^event: head$/gm)).toHaveLength(4)
    expect(text).toContain(': The credential has used up its quota of units for this month.')
  })

  it('of gRPC ends when the quota is used up, or when a rule denies it', async () => {
    const node = await grpcNode()
    const limits = { credential: { unitsPerMonth: 2 } }
    const gateway = await grpcInFrontOf(node.url, { grant: { limits } })
    const client = grpcJs(gateway.url)
    expect((await client.one('a')).status.code).toBe(0)
    expect((await client.one('a')).status.code).toBe(0)
    expect((await client.one('a')).status).toMatchObject({ code: 8 })
    gateway.grant({ limits: {} })
    const open = client.echo()
    open.call.write('a')
    await vi.waitFor(() => expect(open.messages).toEqual(['echo a']), { timeout: 50_000 })
    gateway.grant({ accessRules: denied })
    expect((await open.ended).status).toMatchObject({
      code: 7,
      details: 'The access rules of this node do not allow this IP address.',
    })
  })
})

it('a concurrency slot is held until the response has been read', async () => {
  const pendingResponses: (() => void)[] = []
  const url = await startTestNode(async (request, response) => {
    const begin = await responseWithCallId(request, '{"jsonrpc":"2.0","id":1,"result":"')
    response.writeHead(200, { 'content-type': 'application/json' }).write(begin)
    pendingResponses.push(() => response.end(`${'0'.repeat(1_000)}"}`))
  })
  const gateway = await inFrontOf(url, { grant: { limits: { node: { maxConcurrentCalls: 1 } } } })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  const calls = [1, 2, 3].map(() => fetch(`${gateway.url}/${token}`, { method: 'POST', body }))
  for (let call = 1; call <= 3; call++) {
    await vi.waitFor(() => expect(pendingResponses).toHaveLength(call), { timeout: 50_000 })
    // The gateway responds to other clients while the node still holds one call.
    expect((await fetch(`${gateway.url}/unknown`, { method: 'POST', body })).status).toBe(401)
    expect(pendingResponses).toHaveLength(call)
    pendingResponses[call - 1]?.()
  }
  for (const response of await Promise.all(calls)) expect(await response.json()).toHaveProperty('result')
})
