import { connect } from 'node:http2'
import { describe, expect, inject, it } from 'vitest'
import { canary } from './canary.ts'

const { base_url: base, api_key: key, organization_id: organization, nodes } = inject('development')
const [node, , , solana] = nodes
const bearer = { authorization: `Bearer ${key}` }
const basic = { authorization: `Basic ${btoa(`${node.username}:${node.password}`)}` }

const rpc = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const call = (method: string, params: unknown[] = []) => ({ jsonrpc: '2.0', id: 1, method, params })
const result = async (path: string, method: string, params: unknown[] = []) =>
  ((await (await rpc(path, call(method, params))).json()) as { result: unknown }).result

describe('the platform API', () => {
  it('returns the organization of the API key, with and without the trailing slash', async () => {
    for (const path of ['/v1/organization/', '/v1/organization']) {
      const response = await fetch(base + path, { headers: bearer, redirect: 'manual' })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toContain('application/json')
      expect(await response.json()).toEqual({ id: organization, name: 'My organization' })
    }
  })

  it('lists projects in the envelope, every field in its format', async () => {
    const query = `order_by=-created_at&page=1&type=public&name=First%20project&organization=${organization}`
    const response = await fetch(`${base}/v2/projects/?${query}`, { headers: bearer })
    const user = expect.stringMatching(/^UR-/) as string
    expect(await response.json()).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [
        {
          id: expect.stringMatching(/^PR-/) as string,
          name: 'First project',
          description: '',
          type: 'public',
          members: 1,
          networks: 1,
          creator: {
            id: user,
            email: expect.stringContaining('@') as string,
            first_name: expect.any(String) as string,
            last_name: expect.any(String) as string,
            organization: { id: organization, name: 'My organization' },
          },
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string,
        },
      ],
    })
  })

  it.each<[string, string, Record<string, string>, number, string, string]>([
    ['no key', '/v1/organization/', {}, 401, 'not_authenticated', 'GET'],
    [
      'a wrong key',
      '/v1/organization/',
      { authorization: 'Bearer AAAAAAAA.x' },
      401,
      'authentication_failed',
      'GET',
    ],
    ['basic credentials', '/v1/organization/', basic, 401, 'not_authenticated', 'GET'],
    ['an unknown sort order', '/v2/projects/?order_by=bogus', bearer, 400, 'invalid', 'GET'],
    ['a private type', '/v2/projects/?type=private', bearer, 400, 'invalid', 'GET'],
    ['page 0', '/v2/projects/?page=0', bearer, 404, 'not_found', 'GET'],
    ['page -1', '/v2/projects/?page=-1', bearer, 404, 'not_found', 'GET'],
    ['page abc', '/v2/projects/?page=abc', bearer, 404, 'not_found', 'GET'],
    ['page 999', '/v2/projects/?page=999', bearer, 404, 'not_found', 'GET'],
    ['an unknown path', '/v3/nothing/', bearer, 404, 'not_found', 'GET'],
    ['a wrong HTTP method', '/v1/organization/', bearer, 405, 'method_not_allowed', 'DELETE'],
  ])('rejects %s', async (_, path, headers, status, code, method) => {
    const response = await fetch(base + path, { method, headers })
    expect(response.status).toBe(status)
    const { error } = (await response.json()) as { error: { code: string; request_id: string } }
    expect(error.code).toBe(code)
    expect(error.request_id).toBe(response.headers.get('x-request-id'))
    if (status === 401) expect(response.headers.get('www-authenticate')).toContain('Bearer')
  })
})

describe('node access', () => {
  const token = `/${node.token}`

  it('responds to each method of the interface', async () => {
    expect(await result(`${token}/evm`, 'ots_getApiLevel')).toBe(8)
    expect(await result(`${token}/evm`, 'eth_syncing')).toBe(false)
    const block = (await result(token, 'eth_getBlockByNumber', ['latest', false])) as Record<string, unknown>
    const fields =
      'number hash parentHash timestamp gasLimit gasUsed transactions miner difficulty totalDifficulty size extraData nonce receiptsRoot stateRoot transactionsRoot'
    for (const field of fields.split(' ')) expect(block).toHaveProperty(field)
    const full = (await result(`${token}/evm`, 'eth_getBlockByHash', [block['hash'], true])) as typeof block
    expect(full['transactions']).toContainEqual(
      expect.objectContaining({ from: expect.any(String) as string }),
    )
    expect(await result(`${token}/evm`, 'eth_getBlockByHash', [`0x${'1'.repeat(64)}`, true])).toBeNull()
    expect(await result(`${token}/evm`, 'eth_getBlockByHash', ['not a hash', true])).toBeNull()
    const bundles = [
      { transactions: [{ to: `0x${'0'.repeat(39)}4`, data: '0x01' }], blockOverride: { blockNumber: '0x2' } },
    ]
    const context = { blockNumber: block['number'], transactionIndex: 0 }
    expect(await result(token, 'debug_traceCallMany', [bundles, context, {}])).toEqual([
      { structLogs: [], gas: 30_000_000, returnValue: '0x01', gasUsed: 21_040, failed: false },
    ])
  })

  it.each<[string, () => Promise<Response>, number, number | undefined]>([
    ['a wrong token', () => rpc(`/${'0'.repeat(32)}`, call('eth_chainId')), 401, -32_041],
    [
      'a wrong password',
      () => rpc('/', call('eth_chainId'), { authorization: `Basic ${btoa('a:b')}` }),
      401,
      -32_041,
    ],
    ['a bearer token', () => rpc('/', call('eth_chainId'), bearer), 401, -32_041],
    ['no credential', () => rpc('/', call('eth_chainId')), 401, -32_041],
    ['malformed JSON', () => rpc(token, '{"jsonrpc":'), 200, -32_700],
    ['an empty batch', () => rpc(token, []), 200, -32_600],
    ['a body of 6 MiB', () => rpc(token, ' '.repeat(6 * 1024 * 1024)), 413, -32_600],
    ['GET', () => fetch(base + token), 405, -32_600],
    ['an unknown method', () => rpc(token, call('eth_nothing')), 200, -32_601],
    ['missing params', () => rpc(token, call('eth_getBlockByHash', ['0x12'])), 200, -32_602],
  ])('rejects %s', async (_, request, status, code) => {
    const response = await request()
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code } })
  })

  it('accepts basic authentication and returns batch responses in order', async () => {
    const response = await rpc('/', [call('eth_chainId'), { ...call('net_version'), id: 'two' }], basic)
    expect(await response.json()).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0x7a69' },
      { jsonrpc: '2.0', id: 'two', result: '31337' },
    ])
  })
})

describe('gRPC', () => {
  const validHeaders = { 'x-token': solana.x_token }
  const getSlot = '/geyser.Geyser/GetSlot'
  const emptyMessage = new Uint8Array(5)
  /** Calls over gRPC-web. The response is its frames, the trailer frame as text. */
  const web = async (
    path: string,
    headers: Record<string, string>,
    body: Uint8Array<ArrayBuffer> | string = emptyMessage,
    form = 'grpc-web+proto',
  ) => {
    const response = await fetch(solana.grpc_url + path, {
      method: 'POST',
      headers: { 'content-type': `application/${form}`, ...headers },
      body,
    })
    const received = Buffer.from(await response.arrayBuffer())
    // Each chunk is padded separately.
    const pieces = received.toString('latin1').match(/[^=]+=*/g) ?? []
    const bytes = form.includes('text')
      ? Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64')))
      : received
    const messages: Buffer[] = []
    let trailers = ''
    for (let offset = 0; offset < bytes.length; offset += 5 + bytes.readUInt32BE(offset + 1)) {
      const frame = bytes.subarray(offset + 5, offset + 5 + bytes.readUInt32BE(offset + 1))
      if (bytes[offset] === 0x80) trailers = frame.toString()
      else messages.push(frame)
    }
    return { response, messages, trailers }
  }

  it.each(['grpc-web+proto', 'grpc-web', 'grpc-web-text+proto', 'grpc-web-text'])(
    'responds with application/%s',
    async (form) => {
      const body = form.includes('text') ? Buffer.from(emptyMessage).toString('base64') : emptyMessage
      const { response, messages, trailers } = await web(getSlot, validHeaders, body, form)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toMatch(/^application\/grpc-web/)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      // Field 1, a varint.
      expect(messages.map((bytes) => bytes[0])).toEqual([0x08])
      expect(trailers).toMatch(/^grpc-status: ?0\r\n/)
    },
  )

  it('allows cross-origin requests of browsers', async () => {
    const response = await fetch(solana.grpc_url + getSlot, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://page.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-grpc-web,x-token',
      },
    })
    expect(response.ok).toBe(true)
    expect(response.headers.get('access-control-allow-headers')).toContain('x-token')
  })

  it.each<[string, string, Record<string, string>, number]>([
    ['no token', getSlot, {}, 16],
    ['a wrong token', getSlot, { 'x-token': 'wrong' }, 16],
    ['the token of paths', getSlot, { 'x-token': solana.token }, 16],
    ['the token in the path', `/${solana.x_token}${getSlot}`, {}, 16],
    ['a bearer token', getSlot, bearer, 16],
    ['basic authentication', getSlot, basic, 16],
    ['an unknown method', '/geyser.Geyser/None', validHeaders, 12],
    ['an unknown service', '/none.None/GetSlot', validHeaders, 12],
    ['an incomplete path', '/geyser.Geyser', validHeaders, 12],
  ])('rejects %s', async (_, path, headers, status) => {
    const { response, messages, trailers } = await web(path, headers)
    expect([response.status, messages]).toEqual([200, []])
    expect(trailers || `grpc-status: ${response.headers.get('grpc-status')}`).toMatch(
      new RegExp(`^grpc-status: ?${status}\\b`),
    )
    expect(trailers).not.toContain(solana.x_token)
  })

  it('rejects invalid base64, and leaves other requests to the other protocols', async () => {
    const { trailers } = await web(getSlot, validHeaders, '!', 'grpc-web-text')
    expect(trailers).toMatch(/^grpc-status: ?3\b/)
    const session = connect(solana.grpc_url)
    const stream = session.request({ ':path': '/healthz' })
    const status = await new Promise((resolve) =>
      stream.once('response', ({ ':status': code }) => resolve(code)),
    )
    session.destroy()
    expect(status).toBe(200)
  })
})

describe('operations', () => {
  it.each(['/healthz', '/readyz', '/metrics', '/console/'])('responds to %s', async (path) => {
    const headers = { authorization: `Bearer ${canary('metrics')}` }
    expect((await fetch(base + path, { headers })).status).toBe(200)
  })
})
