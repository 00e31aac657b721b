import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { beaconBasic, type BeaconFixture, beaconInFrontOf, beaconToken } from '../testing/beacon-fixture.ts'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { sendRaw } from '@fairlead/http1/testing/raw-http'

/** A request that the upstream received. */
interface ReceivedRequest {
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
async function recordingGateway(options?: Parameters<typeof beaconInFrontOf>[1], prefix = '') {
  const requests: ReceivedRequest[] = []
  const node = await startTestNode(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method, url, headers } = request
    requests.push({ method, target: url, headers, body: Buffer.concat(chunks) })
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
  return { requests, gateway: await beaconInFrontOf(node.replace('//', '//name:p%40ss@') + prefix, options) }
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

describe('the upstream request', () => {
  it('preserves path, query and trailing slash, and removes the token', async () => {
    const { requests, gateway } = await recordingGateway()
    for (const target of [
      genesis,
      `${genesis}/`,
      '/eth/v1/beacon/headers?slot=1&x=%20a&x=b+c',
      '/eth/v1/node/peers?',
    ]) {
      expect((await gateway.call(target)).status).toBe(200)
    }
    expect(requests.map(({ target }) => target)).toEqual([
      genesis,
      `${genesis}/`,
      '/eth/v1/beacon/headers?slot=1&x=%20a&x=b+c',
      '/eth/v1/node/peers',
    ])
  })

  it('appends to the path of the upstream URL, with the query of that URL first', async () => {
    const { requests, gateway } = await recordingGateway({}, '/key/of/path/?apikey=s3cr3t')
    await gateway.call('/eth/v1/beacon/headers?slot=1')
    expect(requests[0]?.target).toBe('/key/of/path/eth/v1/beacon/headers?apikey=s3cr3t&slot=1')
  })

  it('forwards relevant headers, and never the credential of the client', async () => {
    const { requests, gateway } = await recordingGateway()
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
    const { authorization: sent, ...headers } = requests[0]?.headers ?? {}
    expect(sent).toBe(authorization('name:p@ss').authorization)
    expect(headers).toEqual({
      host: expect.any(String),
      accept: 'application/json',
      'eth-blob-data-included': 'true',
      'accept-encoding': 'identity',
    })
  })

  it('forwards a JSON or SSZ body byte for byte', async () => {
    const { requests, gateway } = await recordingGateway()
    const json = Buffer.from('{ "b": 1,\r\n "a": 1.50, "b": 2 }')
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256))
    for (const [type, body] of [
      ['application/json; charset=utf-8', json],
      [ssz, bytes],
    ] as const) {
      const headers = { 'content-type': type, 'eth-consensus-version': 'fulu' }
      const response = await gateway.call('/eth/v2/beacon/blocks', { method: 'POST', headers, body })
      expect(response.status).toBe(200)
      const { method, headers: sent, body: arrived } = requests.at(-1) as ReceivedRequest
      expect(method).toBe('POST')
      expect(sent).toMatchObject({ 'content-type': type, 'eth-consensus-version': 'fulu' })
      expect(arrived.equals(body)).toBe(true)
    }
  })

  it('sends no content type for an empty response', async () => {
    const node = await startTestNode((request, response) => request.resume().on('end', () => response.end()))
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

  it('treats a body without a content type as JSON, and accepts an omitted optional body', async () => {
    const { requests, gateway } = await recordingGateway()
    const body = Buffer.from('["1"]')
    await gateway.call('/eth/v1/beacon/states/head/validator_balances', { method: 'POST', body })
    expect(requests[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '5' })
    await gateway.call('/eth/v1/beacon/states/head/validator_balances', { method: 'POST' })
    expect(requests[1]?.headers).toMatchObject({ 'content-length': '0' })
    expect(requests[1]?.headers).not.toHaveProperty('content-type')
  })

  it('forwards operations of earlier releases without validation', async () => {
    const { requests, gateway } = await recordingGateway()
    for (const [method, target] of [
      ['GET', '/eth/v1/beacon/blob_sidecars/anything?indices=1,2'],
      ['GET', '/eth/v1/beacon/pool/attestations?slot=x'],
      ['POST', '/eth/v1/beacon/blocks'],
    ] as const) {
      const body = method === 'POST' ? 'what ever' : null
      expect((await gateway.call(target, { method, body })).status).toBe(200)
      expect(requests.at(-1)).toMatchObject({ method, target })
    }
    expect(requests.at(-1)?.body.toString()).toBe('what ever')
    expect(await gateway.counted()).toContain('publishBlock 2xx 1')
  })
})

describe('the response', () => {
  it('passes JSON unchanged, with the headers that clients may receive', async () => {
    const { gateway } = await recordingGateway()
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
    const { gateway } = await recordingGateway()
    const response = await gateway.call('/eth/v2/beacon/blocks/head', {
      headers: { accept: `${ssz};q=1, */*;q=0.1` },
    })
    expect(response.headers.get('content-type')).toBe(ssz)
    expect(response.headers.get('eth-consensus-version')).toBe('fulu')
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0, 255, 10, 13, 128])
  })

  it('responds to HEAD with the headers of GET', async () => {
    const { requests, gateway } = await recordingGateway()
    const response = await gateway.call(genesis, { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(response.headers.get('eth-consensus-version')).toBe('fulu')
    expect(await response.text()).toBe('')
    expect(requests[0]?.method).toBe('GET')
  })

  it.each([200, 206, 503, 299, 418])(
    'responds to a health request only with the status %d of the upstream',
    async (status) => {
      const node = await startTestNode((_, response) =>
        response.writeHead(status, { 'x-own': '1' }).end('ignored'),
      )
      const gateway = await beaconInFrontOf(node)
      const response = await gateway.call('/eth/v1/node/health?syncing_status=299')
      expect(response.status).toBe(status)
      expect(await response.text()).toBe('')
      expect(response.headers.get('x-own')).toBeNull()
    },
  )

  it('passes on the reason why an upstream rejects a health request', async () => {
    const node = await startTestNode((_, response) =>
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end('{"code":400,"message":"syncing_status must be at least 200."}'),
    )
    const gateway = await beaconInFrontOf(node)
    const response = await gateway.call('/eth/v1/node/health?syncing_status=101')
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ code: 400, message: 'syncing_status must be at least 200.' })
  })

  it('keeps the connection open after any response', async () => {
    const { gateway } = await recordingGateway()
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
  const fetchPath = (gateway: BeaconFixture, path: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}${path}`, { headers })

  it('are accepted as a token in the path and as HTTP basic authentication', async () => {
    const { gateway } = await recordingGateway()
    expect((await fetchPath(gateway, `/beacon/${beaconToken}${genesis}`)).status).toBe(200)
    expect((await fetchPath(gateway, `/beacon${genesis}`, authorization(beaconBasic))).status).toBe(200)
    expect((await fetchPath(gateway, `/beacon/${encodeURIComponent(beaconToken)}${genesis}`)).status).toBe(
      200,
    )
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
    ['none, for an unknown path', '/beacon/eth/v1/nothing', {}, 'Put a token in the path'],
  ])('are rejected when there is %s', async (_, path, headers, message) => {
    const { requests, gateway } = await recordingGateway()
    const response = await fetchPath(gateway, path, headers)
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="node"')
    expect(await failureOf(response)).toEqual({ status: 401, message: expect.stringContaining(message) })
    expect(requests).toEqual([])
  })

  it('of a node without this protocol are rejected', async () => {
    const { gateway } = await recordingGateway({ protocols: ['evm'] })
    expect(await failureOf(await gateway.call(genesis))).toEqual({
      status: 404,
      message: 'This node does not offer beacon.',
    })
  })

  it('are valid only at the host of their node', async () => {
    const { gateway } = await recordingGateway({ nodeDomain: 'nodes.example' })
    const get = (host: string) =>
      sendRaw(
        gateway.port,
        `GET /beacon/${beaconToken}${genesis} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
      )
    expect((await get('node.nodes.example')).text).toMatch(/^HTTP\/1\.1 200 /)
    expect((await get('other.nodes.example')).text).toMatch(/^HTTP\/1\.1 401 /)
  })
})

describe('an invalid request', () => {
  it.each([
    ['GET', '/eth/v1/nothing', {}, undefined, 404, 'The beacon node API does not have this path.'],
    ['GET', '', {}, undefined, 404, 'The beacon node API does not have this path.'],
    ['GET', '/lighthouse/health', {}, undefined, 404, 'The beacon node API does not have this path.'],
    ['POST', genesis, {}, 'x', 405, 'Use GET or HEAD for this path.'],
    ['DELETE', '/eth/v2/beacon/blocks', {}, undefined, 405, 'Use POST for this path.'],
    ['GET', '/eth/v1/beacon/states/top/root', {}, undefined, 400, 'The path parameter state_id must match'],
    [
      'GET',
      '/eth/v1/node/peers/..%2f..',
      {},
      undefined,
      400,
      'The path parameter peer_id must be a single path segment.',
    ],
    ['GET', '/eth/v1/beacon/headers?slot=x', {}, undefined, 400, 'The query parameter slot must match'],
    ['GET', genesis, { accept: 'text/html' }, undefined, 406, 'This operation returns application/json.'],
    ['GET', genesis, { accept: ssz }, undefined, 406, 'This operation returns application/json.'],
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
      'This operation accepts application/json.',
    ],
    [
      'POST',
      '/eth/v1/validator/liveness/1',
      { 'content-type': 'text/plain' },
      'x',
      415,
      'accepts application/json.',
    ],
    [
      'POST',
      '/eth/v1/validator/liveness/1',
      { 'content-type': 'application/json', 'content-encoding': 'br' },
      'x',
      415,
      'The Content-Encoding of the request body must be gzip or deflate.',
    ],
    ['POST', '/eth/v1/validator/liveness/1', {}, '', 400, 'A request body is required.'],
    [
      'POST',
      '/eth/v2/beacon/blocks',
      { 'content-type': ssz },
      'x',
      400,
      'The header Eth-Consensus-Version is required.',
    ],
  ] as const)('%s %s %j is rejected', async (method, target, headers, body, status, message) => {
    const { requests, gateway } = await recordingGateway()
    const response = await gateway.call(target, { method, headers, body: body ?? null })
    if (message === undefined) expect(response.status).toBe(status)
    else expect(await failureOf(response)).toEqual({ status, message: expect.stringContaining(message) })
    if (status === 405) expect(response.headers.get('allow')).toMatch(/OPTIONS$/)
    if (status === 415)
      expect(response.headers.get('accept') ?? response.headers.get('accept-encoding')).toBeTruthy()
    expect(requests).toEqual([])
  })

  it('is rejected when its declared or actual length exceeds the limit', async () => {
    const { requests, gateway } = await recordingGateway({ maxBeaconBodyBytes: 1_000 })
    const headers = { 'content-type': 'application/json' }
    const target = '/eth/v1/validator/liveness/1'
    const expected = { status: 413, message: 'The request body must have at most 1000 bytes.' }
    const declared = await gateway.call(target, { method: 'POST', headers, body: 'x'.repeat(1_001) })
    expect(await failureOf(declared)).toEqual(expected)
    const body = new ReadableStream({
      start(controller) {
        for (let part = 0; part < 11; part++) controller.enqueue(Buffer.alloc(100, 'x'))
        controller.close()
      },
    })
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    expect(await failureOf(await gateway.call(target, init))).toEqual(expected)
    expect(requests).toEqual([])
  })
})

describe('the debug endpoints', () => {
  const paths = [
    '/eth/v1/debug/fork_choice',
    '/eth/v2/debug/beacon/states/head',
    '/eth/v2/debug/beacon/heads',
  ]

  it('are enabled by default', async () => {
    const { gateway } = await recordingGateway()
    for (const path of paths) expect((await gateway.call(path)).status).toBe(200)
  })

  it('are rejected when disabled, and all other operations are not', async () => {
    const { requests, gateway } = await recordingGateway({ beaconDebug: false })
    for (const path of [...paths, '/eth/v1/debug/beacon/data_column_sidecars/nonsense']) {
      const expected = { status: 501, message: 'This node does not offer the debug endpoints.' }
      expect(await failureOf(await gateway.call(path))).toEqual(expected)
    }
    expect(requests).toEqual([])
    expect((await gateway.call(genesis)).status).toBe(200)
  })
})

describe('browsers', () => {
  it('may call the API and read the response headers', async () => {
    const { requests, gateway } = await recordingGateway()
    const response = await gateway.call('/eth/v2/beacon/blocks', { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers':
        'authorization, content-type, accept, eth-consensus-version, eth-blob-data-included',
      'access-control-max-age': '86400',
    })
    expect(requests).toEqual([])
  })

  it('are limited to the configured origin', async () => {
    const { gateway } = await recordingGateway({ corsOrigin: 'https://app.example' })
    const response = await gateway.call(genesis)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(response.headers.get('vary')).toBe('origin')
  })
})

it('counts and logs requests by operation, without text from the caller', async () => {
  const { gateway } = await recordingGateway()
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
