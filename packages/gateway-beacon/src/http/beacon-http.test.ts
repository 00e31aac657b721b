import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { beaconBasic, type BeaconFixture, beaconInFrontOf, beaconToken } from '../testing/beacon-fixture.ts'
import { nodeThat } from '@fairlead/gateway-core/testing/serve'
import { sendRaw } from '@fairlead/http1/testing/raw-http'

/** A request that the upstream received. */
interface Asked {
  readonly method: string | undefined
  readonly target: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const ssz = 'application/octet-stream'
const genesis = '/eth/v1/beacon/genesis'

/**
 * Starts the gateway in front of an upstream that records its requests and responds with a fork and some custom
 * headers.
 */
async function keeping(options?: Parameters<typeof beaconInFrontOf>[1], prefix = '') {
  const asked: Asked[] = []
  const node = await nodeThat(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method, url, headers } = request
    asked.push({ method, target: url, headers, body: Buffer.concat(chunks) })
    const wantsSsz = headers.accept?.startsWith(ssz) === true
    response.writeHead(200, {
      'content-type': wantsSsz ? ssz : 'application/json',
      'eth-consensus-version': 'fulu',
      'eth-own-extension': 'yes',
      'cache-control': 'public, max-age=60',
      server: 'node/1.2.3',
      'x-powered-by': 'node',
      'set-cookie': 'a=b',
    })
    response.end(wantsSsz ? Buffer.from([0, 255, 10, 13, 128]) : '{"data":{"from":"node"}}')
  })
  return { asked, gateway: await beaconInFrontOf(node.replace('//', '//name:p%40ss@') + prefix, options) }
}

async function failureOf(response: Response): Promise<{ status: number; message: string }> {
  const { status } = response
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
  const { code, message, ...rest } = (await response.json()) as { code: number; message: string }
  expect(rest).toEqual({})
  expect(code).toBe(status)
  return { status, message }
}

function authorization(pair: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

describe('the way to the node', () => {
  it('keeps path, query and slash, and leaves the token behind', async () => {
    const { asked, gateway } = await keeping()
    for (const target of [
      genesis,
      `${genesis}/`,
      '/eth/v1/beacon/headers?slot=1&x=%20a&x=b+c',
      '/eth/v1/node/peers?',
    ]) {
      expect((await gateway.call(target)).status).toBe(200)
    }
    expect(asked.map(({ target }) => target)).toEqual([
      genesis,
      `${genesis}/`,
      '/eth/v1/beacon/headers?slot=1&x=%20a&x=b+c',
      '/eth/v1/node/peers',
    ])
  })

  it("goes below the path of the node's address, with its query first", async () => {
    const { asked, gateway } = await keeping({}, '/key/of/path/?apikey=s3cr3t')
    await gateway.call('/eth/v1/beacon/headers?slot=1')
    expect(asked[0]?.target).toBe('/key/of/path/eth/v1/beacon/headers?apikey=s3cr3t&slot=1')
  })

  it('passes the headers that mean something, and never the credential of the client', async () => {
    const { asked, gateway } = await keeping()
    await fetch(`${gateway.url}/beacon${genesis}`, {
      headers: {
        ...authorization(beaconBasic),
        accept: 'application/json',
        'eth-blob-data-included': 'true',
        'x-forwarded-for': '10.0.0.1',
        cookie: 'a=b',
        'accept-encoding': 'gzip',
        'user-agent': 'client/1',
      },
    })
    const { authorization: sent, ...headers } = asked[0]?.headers ?? {}
    expect(sent).toBe(authorization('name:p@ss').authorization)
    expect(headers).toEqual({
      host: expect.any(String),
      accept: 'application/json',
      'eth-blob-data-included': 'true',
      'accept-encoding': 'identity',
    })
  })

  it('passes a body on byte for byte, JSON as it was written and SSZ', async () => {
    const { asked, gateway } = await keeping()
    const json = Buffer.from('{ "b": 1,\r\n "a": 1.50, "b": 2 }')
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256))
    for (const [type, body] of [
      ['application/json; charset=utf-8', json],
      [ssz, bytes],
    ] as const) {
      const headers = { 'content-type': type, 'eth-consensus-version': 'fulu' }
      const response = await gateway.call('/eth/v2/beacon/blocks', { method: 'POST', headers, body })
      expect(response.status).toBe(200)
      const { method, headers: sent, body: arrived } = asked.at(-1) as Asked
      expect(method).toBe('POST')
      expect(sent).toMatchObject({ 'content-type': type, 'eth-consensus-version': 'fulu' })
      expect(arrived.equals(body)).toBe(true)
    }
  })

  it('says nothing about a body that the response does not have', async () => {
    const node = await nodeThat((request, response) => request.resume().on('end', () => response.end()))
    const gateway = await beaconInFrontOf(node)
    const response = await gateway.call('/eth/v1/beacon/pool/attester_slashings', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      null,
      '',
    ])
  })

  it('takes a body without a type for JSON, and no body where none is needed', async () => {
    const { asked, gateway } = await keeping()
    const body = Buffer.from('["1"]')
    await gateway.call('/eth/v1/beacon/states/head/validator_balances', { method: 'POST', body })
    expect(asked[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '5' })
    await gateway.call('/eth/v1/beacon/states/head/validator_balances', { method: 'POST' })
    expect(asked[1]?.headers).toMatchObject({ 'content-length': '0' })
    expect(asked[1]?.headers).not.toHaveProperty('content-type')
  })

  it('is open to the operations of earlier releases, unchecked', async () => {
    const { asked, gateway } = await keeping()
    for (const [method, target] of [
      ['GET', '/eth/v1/beacon/blob_sidecars/anything?indices=1,2'],
      ['GET', '/eth/v1/beacon/pool/attestations?slot=x'],
      ['POST', '/eth/v1/beacon/blocks'],
    ] as const) {
      const body = method === 'POST' ? 'what ever' : null
      expect((await gateway.call(target, { method, body })).status).toBe(200)
      expect(asked.at(-1)).toMatchObject({ method, target })
    }
    expect(asked.at(-1)?.body.toString()).toBe('what ever')
    expect(await gateway.counted()).toContain('publishBlock 2xx 1')
  })
})

describe('the way back', () => {
  it('passes JSON as it came, with the headers that a client may see', async () => {
    const { gateway } = await keeping()
    const response = await gateway.call(genesis)
    expect(await response.text()).toBe('{"data":{"from":"node"}}')
    const { date: _, ...headers } = Object.fromEntries(response.headers)
    expect(headers).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers':
        'x-request-id, retry-after, deprecation, sunset, eth-consensus-version, eth-own-extension',
      connection: 'keep-alive',
      'content-type': 'application/json',
      'eth-consensus-version': 'fulu',
      'eth-own-extension': 'yes',
      'keep-alive': expect.any(String),
      'transfer-encoding': 'chunked',
      'x-request-id': expect.any(String),
    })
  })

  it('passes SSZ byte for byte', async () => {
    const { gateway } = await keeping()
    const response = await gateway.call('/eth/v2/beacon/blocks/head', {
      headers: { accept: `${ssz};q=1, */*;q=0.1` },
    })
    expect(response.headers.get('content-type')).toBe(ssz)
    expect(response.headers.get('eth-consensus-version')).toBe('fulu')
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0, 255, 10, 13, 128])
  })

  it('answers HEAD with the head of GET', async () => {
    const { asked, gateway } = await keeping()
    const response = await gateway.call(genesis, { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(response.headers.get('eth-consensus-version')).toBe('fulu')
    expect(await response.text()).toBe('')
    expect(asked[0]?.method).toBe('GET')
  })

  it.each([200, 206, 503, 299, 418])('answers health with the %d of the node alone', async (status) => {
    const node = await nodeThat((_, response) => response.writeHead(status, { 'x-own': '1' }).end('ignored'))
    const gateway = await beaconInFrontOf(node)
    const response = await gateway.call('/eth/v1/node/health?syncing_status=299')
    expect(response.status).toBe(status)
    expect(await response.text()).toBe('')
    expect(response.headers.get('x-own')).toBeNull()
  })

  it('says why a node rejects a request for its health', async () => {
    const node = await nodeThat((_, response) =>
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end('{"code":400,"message":"syncing_status must be at least 200."}'),
    )
    const gateway = await beaconInFrontOf(node)
    const response = await gateway.call('/eth/v1/node/health?syncing_status=101')
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ code: 400, message: 'syncing_status must be at least 200.' })
  })

  it('keeps a connection for the next call, whatever the answer was', async () => {
    const { gateway } = await keeping()
    const get = (path: string, extra = '') =>
      `GET ${path} HTTP/1.1\r\nhost: x\r\n${extra}${extra.includes('connection') ? '' : 'connection: keep-alive\r\n'}\r\n`
    const { text, end } = await sendRaw(
      gateway.port,
      [
        get(`/beacon/${beaconToken}${genesis}`),
        get('/beacon/other/eth/v1/x'),
        get(`/beacon/${beaconToken}/eth/v1/x`),
        get(`/beacon/${beaconToken}${genesis}`, 'connection: close\r\n'),
      ].join(''),
    )
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual([200, 401, 404, 200].map((status) => `HTTP/1.1 ${status}`))
    expect(end).toBe('closed')
  })
})

describe('credentials', () => {
  const at = (gateway: BeaconFixture, path: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}${path}`, { headers })

  it('open by token in the path, and by HTTP basic authentication', async () => {
    const { gateway } = await keeping()
    expect((await at(gateway, `/beacon/${beaconToken}${genesis}`)).status).toBe(200)
    expect((await at(gateway, `/beacon${genesis}`, authorization(beaconBasic))).status).toBe(200)
    expect((await at(gateway, `/beacon/${encodeURIComponent(beaconToken)}${genesis}`)).status).toBe(200)
  })

  it.each([
    ['none', `/beacon${genesis}`, {}, 'Put a token in the path'],
    ['a token that is unknown', `/beacon/other${genesis}`, {}, 'Unknown token.'],
    ['a token with a slash too many', `/beacon//${beaconToken}${genesis}`, {}, 'Put a token in the path'],
    [
      'a bearer token',
      `/beacon${genesis}`,
      { authorization: `Bearer ${beaconToken}` },
      'do not accept bearer',
    ],
    [
      'a wrong password',
      `/beacon${genesis}`,
      authorization(`${beaconBasic}x`),
      'Unknown user name or password.',
    ],
    ['the token as a password', `/beacon${genesis}`, authorization(`:${beaconToken}`), 'Unknown user name'],
    ['another scheme', `/beacon${genesis}`, { authorization: 'Digest x' }, 'Nodes accept HTTP basic'],
    ['nothing, for a path nobody knows', '/beacon/eth/v1/nothing', {}, 'Put a token in the path'],
  ])('are refused when there is %s', async (_, path, headers, message) => {
    const { asked, gateway } = await keeping()
    const response = await at(gateway, path, headers)
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="node"')
    expect(await failureOf(response)).toEqual({ status: 401, message: expect.stringContaining(message) })
    expect(asked).toEqual([])
  })

  it('of a node without this protocol open nothing', async () => {
    const { gateway } = await keeping({ protocols: ['evm'] })
    expect(await failureOf(await gateway.call(genesis))).toEqual({
      status: 404,
      message: 'This node does not offer beacon.',
    })
  })

  it('belong to the host of their node', async () => {
    const { gateway } = await keeping({ nodeDomain: 'nodes.example' })
    const get = (host: string) =>
      sendRaw(
        gateway.port,
        `GET /beacon/${beaconToken}${genesis} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
      )
    expect((await get('node.nodes.example')).text).toMatch(/^HTTP\/1\.1 200 /)
    expect((await get('other.nodes.example')).text).toMatch(/^HTTP\/1\.1 401 /)
  })
})

describe('a request that cannot be', () => {
  it.each([
    ['GET', '/eth/v1/nothing', {}, undefined, 404, 'The beacon node API has no such path.'],
    ['GET', '', {}, undefined, 404, 'The beacon node API has no such path.'],
    ['GET', '/lighthouse/health', {}, undefined, 404, 'The beacon node API has no such path.'],
    ['POST', genesis, {}, 'x', 405, 'This path is called with GET or HEAD.'],
    ['DELETE', '/eth/v2/beacon/blocks', {}, undefined, 405, 'This path is called with POST.'],
    ['GET', '/eth/v1/beacon/states/top/root', {}, undefined, 400, 'The path parameter state_id must match'],
    [
      'GET',
      '/eth/v1/node/peers/..%2f..',
      {},
      undefined,
      400,
      'The path parameter peer_id must be one segment of a path.',
    ],
    ['GET', '/eth/v1/beacon/headers?slot=x', {}, undefined, 400, 'The query parameter slot must match'],
    ['GET', genesis, { accept: 'text/html' }, undefined, 406, 'This operation answers application/json.'],
    ['GET', genesis, { accept: ssz }, undefined, 406, 'This operation answers application/json.'],
    [
      'GET',
      '/eth/v2/beacon/blocks/head',
      { accept: 'text/plain' },
      undefined,
      406,
      `application/json or ${ssz}.`,
    ],
    [
      'GET',
      '/eth/v1/events?topics=head',
      { accept: 'application/json' },
      undefined,
      406,
      'text/event-stream.',
    ],
    ['HEAD', '/eth/v1/events?topics=head', {}, undefined, 405, undefined],
    [
      'POST',
      '/eth/v1/validator/liveness/1',
      { 'content-type': ssz },
      'x',
      415,
      'This operation takes application/json.',
    ],
    [
      'POST',
      '/eth/v1/validator/liveness/1',
      { 'content-type': 'text/plain' },
      'x',
      415,
      'takes application/json.',
    ],
    [
      'POST',
      '/eth/v1/validator/liveness/1',
      { 'content-type': 'application/json', 'content-encoding': 'br' },
      'x',
      415,
      'The body may be compressed by gzip or deflate only.',
    ],
    ['POST', '/eth/v1/validator/liveness/1', {}, '', 400, 'A body is required.'],
    [
      'POST',
      '/eth/v2/beacon/blocks',
      { 'content-type': ssz },
      'x',
      400,
      'The header Eth-Consensus-Version is required.',
    ],
  ] as const)('%s %s %j is refused', async (method, target, headers, body, status, message) => {
    const { asked, gateway } = await keeping()
    const response = await gateway.call(target, { method, headers, body: body ?? null })
    if (message === undefined) expect(response.status).toBe(status)
    else expect(await failureOf(response)).toEqual({ status, message: expect.stringContaining(message) })
    if (status === 405) expect(response.headers.get('allow')).toMatch(/OPTIONS$/)
    if (status === 415)
      expect(response.headers.get('accept') ?? response.headers.get('accept-encoding')).toBeTruthy()
    expect(asked).toEqual([])
  })

  it('is refused for its length, told and found out', async () => {
    const { asked, gateway } = await keeping({ maxBeaconBodyBytes: 1_000 })
    const headers = { 'content-type': 'application/json' }
    const target = '/eth/v1/validator/liveness/1'
    const expected = { status: 413, message: 'The body may hold at most 1000 bytes.' }
    const told = await gateway.call(target, { method: 'POST', headers, body: 'x'.repeat(1_001) })
    expect(await failureOf(told)).toEqual(expected)
    const body = new ReadableStream({
      start(controller) {
        for (let part = 0; part < 11; part++) controller.enqueue(Buffer.alloc(100, 'x'))
        controller.close()
      },
    })
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    expect(await failureOf(await gateway.call(target, init))).toEqual(expected)
    expect(asked).toEqual([])
  })
})

describe('the debug endpoints', () => {
  const paths = [
    '/eth/v1/debug/fork_choice',
    '/eth/v2/debug/beacon/states/head',
    '/eth/v2/debug/beacon/heads',
  ]

  it('are there', async () => {
    const { gateway } = await keeping()
    for (const path of paths) expect((await gateway.call(path)).status).toBe(200)
  })

  it('are not, where they are switched off; all others are', async () => {
    const { asked, gateway } = await keeping({ beaconDebug: false })
    for (const path of [...paths, '/eth/v1/debug/beacon/data_column_sidecars/nonsense']) {
      const expected = { status: 501, message: 'This node does not offer the debug endpoints.' }
      expect(await failureOf(await gateway.call(path))).toEqual(expected)
    }
    expect(asked).toEqual([])
    expect((await gateway.call(genesis)).status).toBe(200)
  })
})

describe('browsers', () => {
  it('may call, and read the headers', async () => {
    const { asked, gateway } = await keeping()
    const response = await gateway.call('/eth/v2/beacon/blocks', { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers':
        'authorization, content-type, accept, eth-consensus-version, eth-blob-data-included',
      'access-control-max-age': '86400',
    })
    expect(asked).toEqual([])
  })

  it('of one origin only, when it is set', async () => {
    const { gateway } = await keeping({ corsOrigin: 'https://app.example' })
    const response = await gateway.call(genesis)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(response.headers.get('vary')).toBe('origin')
  })
})

it('counts and logs every request by its operation, and nothing that the caller chose', async () => {
  const { gateway } = await keeping()
  await gateway.call(genesis)
  await gateway.call('/eth/v1/beacon/states/chosen-by-caller/root')
  await gateway.call('/eth/v1/chosen-by-caller')
  await gateway.call('/eth/v2/beacon/blocks', { method: 'OPTIONS' })
  expect(await gateway.counted()).toEqual([
    'getGenesis 2xx 1',
    'getStateRoot 4xx 1',
    'unknown 2xx 1',
    'unknown 4xx 1',
  ])
  const lines = gateway
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines[0]).toMatchObject({
    request_id: expect.any(String),
    node_id: 'node',
    credential_id: 'credential',
    protocol: 'beacon',
    method: 'getGenesis',
    status: 200,
    duration_ms: expect.any(Number),
    msg: 'node request',
  })
  expect(`${gateway.log()}${await gateway.metrics()}`).not.toMatch(/chosen-by-caller|fixture-token/)
})
