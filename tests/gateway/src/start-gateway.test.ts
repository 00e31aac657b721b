import { once } from 'node:events'
import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { serve } from '@fairlead/gateway-core/testing/serve'
import { parseConfiguration, startGateway } from '@fairlead/gateway'
import { pino } from 'pino'
import { withCallId } from '@fairlead/gateway-core/testing/with-call-id'

// Texts that occur nowhere else, so that a single search finds a leak.
const canaries = { metrics: 'c4n4ry-metrics', user: 'c4n4ry-user', password: 'c4n4ry-p%40ss' }
const chainId = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
// No other caller uses this method. The gateway itself checks its nodes with other methods.
const gasPrice = chainId.replace('eth_chainId', 'eth_gasPrice')

let node: Awaited<ReturnType<typeof serve>>
let gateway: GatewayFixture
/** How the node handles its next requests. */
let behaviour: 'answer' | 'fail' | 'garbage' | 'disconnect' = 'answer'
let isGasPriceDelayed = false
/** Callbacks that complete the held calls. */
const pendingResponses: (() => void)[] = []

beforeAll(async () => {
  node = await serve(async (request, response) => {
    const body = await readText(request)
    const respond = () =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(withCallId(body, '{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
    if (isGasPriceDelayed && body.includes('eth_gasPrice')) pendingResponses.push(respond)
    else if (behaviour === 'answer') respond()
    else if (behaviour === 'fail') response.writeHead(500).end()
    else if (behaviour === 'garbage')
      response.writeHead(200, { 'content-type': 'application/json' }).end('garbage')
    else response.destroy()
  })
  const address = node.url.replace('//', `//${canaries.user}:${canaries.password}@`)
  gateway = await gatewayFixture(
    { FAIRLEAD_UPSTREAM_TIMEOUT_MS: '5000', FAIRLEAD_LOG_REQUESTS: 'all' },
    address,
  )
}, 60_000)

afterAll(async () => {
  await gateway.stop()
  await node.stop()
})

function post(path: string, body: string, authorization?: string): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    body,
    headers: authorization ? { authorization } : {},
  })
}

function get(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  url = gateway.url,
): Promise<Response> {
  return fetch(`${url}${path}`, { method, headers })
}

/** Starts another gateway with the same store. */
function startAnother(environment: Record<string, string>, embedded: Record<string, string> = {}) {
  const log = pino({ level: 'silent' })
  return startGateway(parseConfiguration({ FAIRLEAD_PORT: '0', ...environment }), {
    store: gateway.store,
    log,
    embedded,
  })
}

describe('the health and metrics endpoints', () => {
  it('report that the gateway is alive and ready', async () => {
    for (const [path, text] of [
      ['/healthz', 'ok\n'],
      ['/readyz', 'ready\n'],
      ['/readyz?verbose', 'ready\n'],
    ] as const) {
      const response = await get(path)
      expect([response.status, await response.text()]).toEqual([200, text])
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
    const head = await get('/healthz', {}, 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
    const response = await get('/healthz', {}, 'POST')
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('return the metrics to local requests only, and not through a proxy', async () => {
    await post(`/${gateway.first.token}`, chainId)
    const response = await get('/metrics')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/plain')
    const text = await response.text()
    expect(text).toMatch(/fairlead_node_requests_total\{protocol="evm",method="eth_chainId",status="2xx"} \d/)
    expect(text).toContain('fairlead_node_credentials 2')
    for (const header of ['x-forwarded-for', 'forwarded']) {
      expect((await get('/metrics', { [header]: 'for=192.0.2.1' })).status).toBe(401)
    }
  })

  it.each([
    ['localhost', 200],
    ['LOCALHOST:1', 200],
    ['127.0.0.1:8645', 200],
    ['127.1.2.3', 200],
    ['[::1]:8645', 200],
    ['attacker.example', 403],
    ['attacker.example:8645', 403],
    ['localhost.attacker.example', 403],
    ['127.0.0.1.attacker.example', 403],
    ['localhost@attacker.example', 403],
    ['192.0.2.1', 403],
    ['[::2]', 403],
  ])('return the metrics to a local client with the host %s: %i', async (host, status) => {
    const { port } = new URL(gateway.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`GET /metrics HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
    const response = await readText(socket)
    expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(response.includes('fairlead_')).toBe(status === 200)
  })

  it('return the metrics to clients with the token, when one is configured', async () => {
    const guarded = await startAnother({ FAIRLEAD_METRICS_TOKEN: canaries.metrics })
    const status = async (headers: Record<string, string>) =>
      (await get('/metrics', headers, 'GET', guarded.url)).status
    expect(await status({})).toBe(401)
    expect(await status({ authorization: 'Bearer wrong' })).toBe(401)
    expect(await status({ authorization: canaries.metrics })).toBe(401)
    expect(await status({ authorization: `Bearer ${canaries.metrics}` })).toBe(200)
    expect(
      await status({ authorization: `Bearer ${canaries.metrics}`, 'x-forwarded-for': '192.0.2.1' }),
    ).toBe(200)
    await guarded.stop()
  })
})

describe('startGateway', () => {
  it('names the option to change when the port is in use or the host is unavailable', async () => {
    const { port } = new URL(gateway.url)
    await expect(startAnother({ FAIRLEAD_PORT: port })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('FAIRLEAD_PORT'),
    })
    for (const host of ['192.0.2.1', 'no-such-host.invalid']) {
      await expect(startAnother({ FAIRLEAD_HOST: host })).rejects.toMatchObject({
        details: { option: 'host' },
      })
    }
    expect((await get('/readyz')).status).toBe(200)
  })

  it('returns its URL, also for IPv6', async () => {
    const second = await startAnother({ FAIRLEAD_HOST: '::1' })
    expect(second.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect((await fetch(`${second.url}/healthz`)).status).toBe(200)
    await second.stop()
  })

  it('finishes a request in flight when it stops, and does not wait for idle clients', async () => {
    isGasPriceDelayed = true
    onTestFinished(() => void (isGasPriceDelayed = false))
    const second = await startAnother({})
    const url = new URL(second.url)
    const client = connect(Number(url.port), url.hostname)
    client.write(
      `POST /${gateway.first.token} HTTP/1.1\r\nhost: x\r\ncontent-length: ${gasPrice.length}\r\n\r\n${gasPrice}`,
    )
    await vi.waitFor(() => expect(pendingResponses).not.toHaveLength(0), 20_000)
    const idle = connect(Number(url.port), url.hostname)
    await once(idle, 'connect')
    const free = await startAnother({})
    let isStopped = false
    const stopping = second.stop().then(() => (isStopped = true))
    // Another gateway without a request in flight has stopped meanwhile.
    await free.stop()
    expect(isStopped).toBe(false)
    let text = ''
    client.on('data', (chunk) => (text += String(chunk)))
    for (const release of pendingResponses) release()
    // The client would keep the connection. Waiting for it would take the full ten seconds of the shutdown timeout.
    await Promise.all([stopping, once(client, 'close')])
    expect(text).toContain('"result":"0x1"')
    idle.destroy()
  })

  it('gives a credential access to nodes until it is revoked', async () => {
    const { token } = gateway.first
    expect((await post(`/${token}`, chainId)).status).toBe(200)
    const revoke = (revoked_at: ReturnType<typeof sql<string>> | null) =>
      gateway.store.db
        .updateTable('node_credentials')
        .set({ revoked_at })
        .where('kind', '=', 'token')
        .execute()
    await revoke(sql<string>`clock_timestamp()`)
    await vi.waitFor(async () => expect((await post(`/${token}`, chainId)).status).toBe(401), 20_000)
    await revoke(null)
    await vi.waitFor(async () => expect((await post(`/${token}`, chainId)).status).toBe(200), 20_000)
  })
})

it.each([
  ['answers', 'answer', '"result":"0x1"'],
  ['fails', 'fail', '502 '],
  ['sends garbage', 'garbage', '502 '],
  ['disconnects', 'disconnect', '502 '],
] as const)('no secret leaves by the gateway when the node %s', async (_, next, expected) => {
  const { token, username, password, apiKey } = gateway.first
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const invalid = `Basic ${Buffer.from(`${username}:${password}x`).toString('base64')}`
  const bodies = [
    chainId,
    `[${chainId}]`,
    '{',
    '[]',
    '{"jsonrpc":"2.0","id":1,"method":"x"}',
    chainId.repeat(100_000),
  ]
  let output = ''
  const record = async (call: Promise<Response>) => {
    const response = await call.catch((error: unknown) => String(error))
    output +=
      typeof response === 'string'
        ? response
        : `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}\n`
  }
  behaviour = next
  for (const body of bodies) {
    await record(post(`/${token}`, body))
    await record(post(`/${token}/evm?key=${token}`, body))
    await record(post('/', body, basic))
    await record(post('/', body, invalid))
    await record(post(`/${token}x`, body))
    await record(post('/', body, `Bearer ${token}`))
    await record(post(`/${token}/api/v2/jsonRPC`, body))
    await record(post(`/beacon/${token}`, body, basic))
  }
  behaviour = 'answer'
  await record(get(`/${token}`))
  await record(get(`/v1/organization/?key=${token}`, { authorization: `Bearer ${apiKey}` }))
  await record(get(`/v1/${token}/`, { authorization: basic }))
  await record(get('/metrics'))
  expect(output).toContain(expected)
  expect(output).toContain('413 ')
  expect(gateway.log()).toContain('"status":401')
  if (next !== 'answer') expect(gateway.log()).toContain('"status":502')
  const secrets = [
    token,
    password,
    apiKey,
    ...Object.values(canaries),
    'c4n4ry',
    basic.slice(6),
    invalid.slice(6),
  ]
  for (const secret of secrets) {
    expect(output.includes(secret)).toBe(false)
    expect(gateway.log().includes(secret)).toBe(false)
  }
  const address = Buffer.from(`${canaries.user}:c4n4ry-p@ss`).toString('base64')
  expect(`${output}${gateway.log()}`.includes(address)).toBe(false)
  expect(`${output}${gateway.log()}`.includes(new URL(node.url).host)).toBe(false)
})

it.each(['evm', 'beacon'])('is not ready while the embedded %s chain is away', async (chain) => {
  const separate = await startAnother({}, { [chain]: 'http://127.0.0.1:9' })
  const response = await get('/readyz', {}, 'GET', separate.url)
  expect([response.status, await response.text()]).toEqual([503, 'an embedded chain does not respond\n'])
  await separate.stop()
})

it('serves JSON-RPC, the beacon node API and the TON API with the same credentials', async () => {
  const targets: (string | undefined)[] = []
  const beaconNode = await serve((request, response) => {
    targets.push(request.url)
    const data = request.url?.endsWith('/syncing')
      ? { head_slot: '1', sync_distance: '0', is_syncing: false, is_optimistic: false, el_offline: false }
      : { genesis_time: '0' }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
  })
  const jettonNode = await serve((request, response) => {
    targets.push(request.url)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true,"result":"1"}')
  })
  const full = await gatewayFixture({}, node.url, { beacon: beaconNode.url, jetton: jettonNode.url })
  const { token, username, password } = full.first
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const genesis = '{"data":{"genesis_time":"0"}}'
  for (const [path, headers, body] of [
    [`/beacon/${token}/eth/v1/beacon/headers`, {}, genesis],
    ['/beacon/eth/v1/beacon/headers', { authorization }, genesis],
    [`/${token}/api/v2/getConsensusBlock`, {}, '{"ok":true,"result":"1"}'],
    ['/api/v2/getConsensusBlock', { authorization }, '{"ok":true,"result":"1"}'],
  ] as const) {
    const response = await get(path, headers, 'GET', full.url)
    expect([response.status, await response.text()]).toEqual([200, body])
  }
  expect((await get('/readyz', {}, 'GET', full.url)).status).toBe(200)
  expect(targets).toContain('/eth/v1/beacon/headers')
  expect(targets).toContain('/api/v2/getConsensusBlock')
  // Only the readiness check sends these requests.
  expect(targets).toEqual(expect.arrayContaining(['/eth/v1/node/syncing', '/api/v2/getMasterchainInfo']))
  await full.stop()
  await beaconNode.stop()
  await jettonNode.stop()
})

it('is ready without the database, and reports that it is away', async () => {
  const fixture = await gatewayFixture({}, node.url)
  onTestFinished(fixture.stop)
  await fixture.store.close()
  const away = /^ready\ndegraded: the database has not responded since \d{4}-\d\d-\d\dT[\d:.]+Z\n$/
  await vi.waitFor(async () => {
    const response = await get('/readyz', {}, 'GET', fixture.url)
    expect(response.status).toBe(200)
    expect(await response.text()).toMatch(away)
  }, 20_000)
  const metrics = await (await get('/metrics', {}, 'GET', fixture.url)).text()
  expect(metrics).toContain('\nfairlead_dependency_up{dependency="database"} 0\n')
  expect((await get('/healthz', {}, 'GET', fixture.url)).status).toBe(200)
  expect(
    (await fetch(`${fixture.url}/${fixture.first.token}`, { method: 'POST', body: chainId })).status,
  ).toBe(200)
})
