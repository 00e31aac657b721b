import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { JettonExchange, json, respondWith } from '../testing/jetton-exchange.ts'
import { jettonToken, listenToJetton } from '../testing/jetton-fixture.ts'
import { serve, startTestNode } from '@fairlead/gateway-core/testing/serve'
import { waitFor } from '@fairlead/vitest/wait-for'

const address = 'EQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vXMc'

let exchange: JettonExchange

beforeAll(async () => {
  exchange = await JettonExchange.start()
})

afterAll(() => exchange.stop())

beforeEach(() => exchange.reset())

describe('upstream errors', () => {
  const path = '/api/v2/getMasterchainInfo'
  it.each([
    [
      'of the current TON node',
      json(500, { ok: false, error: 'LITE_SERVER_UNKNOWN: missing', code: 500 }),
      500,
      'LITE_SERVER_UNKNOWN: missing',
    ],
    ['with a custom code', json(542, { ok: false, error: 'no', code: -3 }), 542, 'no'],
    ['of a result that is too deep', json(533, { ok: false, error: 'deep', code: 533 }), 533, 'deep'],
    ['of an index', json(404, { error: 'block not found' }), 404, 'block not found'],
    ['of a framework', json(404, { detail: 'Not Found' }), 404, 'Not Found'],
    [
      'of a proxy',
      respondWith(503, 'text/html', '<html>nginx</html>'),
      503,
      'The upstream returned HTTP 503.',
    ],
    ['in plain text', respondWith(504, 'text/plain', 'timeout\n'), 504, 'timeout'],
    [
      'of a rejected key',
      json(401, { ok: false, error: 'c4n4ry-key is wrong' }),
      502,
      'The upstream rejected the credential of the gateway.',
    ],
    [
      'of a forbidden key',
      json(403, { ok: false, error: 'no' }),
      502,
      'The upstream rejected the credential of the gateway.',
    ],
    [
      'of a missing operation',
      json(405, { ok: false, error: 'no' }),
      501,
      'The upstream does not offer this operation.',
    ],
    [
      'that redirect',
      respondWith(302, 'text/html', '', { location: '/c4n4ry-key' }),
      502,
      'The upstream returned HTTP 302.',
    ],
    [
      'that are an HTML page',
      respondWith(200, 'text/html', '<html>'),
      502,
      'The response of the upstream does not follow the jetton chain API.',
    ],
    [
      'that repeat the URL',
      json(500, { error: 'GET /below?api_key=c4n4ry-key by c4n4ry-user' }),
      500,
      'GET ***?api_key=*** by ***',
    ],
  ])('%s', async (_, behaviour, status, error) => {
    exchange.behaviour = behaviour
    expect(await exchange.failure(await exchange.gateway.call(path))).toEqual({ status, error })
    const rpc = await exchange.gateway.rpc({
      jsonrpc: '2.0',
      id: 'é"',
      method: 'getMasterchainInfo',
      params: {},
    })
    expect(await exchange.failure(rpc)).toEqual({ status, error, jsonrpc: '2.0', id: 'é"' })
  })

  it.each([
    ['a read', 'getMasterchainInfo', {}],
    ['a read that the gateway adapts', 'shards', { seqno: 1 }],
  ])('of another media type are replaced by those of the next upstream: %s', async (_, method, params) => {
    const info = json(200, { ok: true, result: { shards: [], last: { seqno: 1 } } })
    // Its health check succeeds.
    const page = await startTestNode((request, response) => {
      const isCheck = request.url === '/api/v2/getMasterchainInfo'
      const respond = isCheck ? info : respondWith(200, 'text/html', '<html>')
      respond(request, response)
    })
    const gateway = await listenToJetton(`${page} ${exchange.node.url}`)
    exchange.behaviour = info
    expect((await gateway.rpc({ jsonrpc: '2.0', id: 1, method, params })).status).toBe(200)
    await gateway.stop()
  })

  it('preserve retry-after', async () => {
    const body = { ok: false, result: 'Ratelimit exceed', code: 429 }
    exchange.behaviour = json(429, body, { 'retry-after': '7' })
    // The upstream then receives no calls for this time.
    const gateway = await listenToJetton(exchange.node.url)
    const response = await gateway.call(path)
    expect(response.headers.get('retry-after')).toBe('7')
    expect(await exchange.failure(response)).toEqual({ status: 429, error: 'Ratelimit exceed' })
    const error = 'All upstreams of this node have reached their rate limit. Try again later.'
    expect(await exchange.failure(await gateway.call(path))).toEqual({ status: 429, error })
    expect(exchange.requests).toHaveLength(1)
    await gateway.stop()
  })

  it('differ from unreachable, silent and disconnecting upstreams', async () => {
    const shortTimeout = await listenToJetton(exchange.node.url, { timeoutMs: 300 })
    exchange.behaviour = (_, response) => response.destroy()
    expect(await exchange.failure(await shortTimeout.call(path))).toEqual({
      status: 502,
      error: 'The upstream is unreachable.',
    })
    exchange.behaviour = (_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    await expect(shortTimeout.call(path).then((response) => exchange.read(response))).rejects.toThrow()
    exchange.behaviour = () => undefined
    const error = 'The upstream did not respond in time.'
    expect(await exchange.failure(await shortTimeout.call(path))).toEqual({ status: 504, error })
    await shortTimeout.stop()
  })

  it('are not logged when the client disconnects before its call is complete', async () => {
    const socket = connect(exchange.gateway.port, '127.0.0.1')
    const head = ['host: x', 'content-length: 9', 'expect: 100-continue'].join('\r\n')
    socket.write(`POST /${jettonToken}/api/v2/jsonRPC HTTP/1.1\r\n${head}\r\n\r\n{`)
    await once(socket, 'data')
    socket.destroy()
    await waitFor(() => expect(exchange.gateway.log()).toContain('"status":499'))
    expect(exchange.gateway.log()).not.toContain('node request failed')
  })

  it('do not occur when the client disconnects', async () => {
    let isClosed = false
    exchange.behaviour = (_, response) => response.once('close', () => (isClosed = true))
    const client = new AbortController()
    const call = exchange.gateway.call(path, { signal: client.signal })
    await waitFor(() => expect(exchange.requests).toHaveLength(1))
    client.abort()
    await expect(call).rejects.toThrow()
    await waitFor(() => expect(isClosed).toBe(true))
  })
})

describe('lists of the index', () => {
  it.each([
    [
      '/api/v3/jetton/masters',
      '{"jetton_masters":null,"address_book":{},"metadata":{}}',
      '{"jetton_masters":[],"address_book":{},"metadata":{}}',
    ],
    ['/api/v3/decode?opcodes=1', '{ "bodies" : null, "opcodes": null }', '{"bodies":[],"opcodes":[]}'],
    ['/api/v3/topAccountsByBalance', 'null\n', '[]'],
    [
      '/api/v3/jetton/masters',
      '{"jetton_masters":[{"x":null}],"n":1.0}',
      '{"jetton_masters":[{"x":null}],"n":1.0}',
    ],
    [`/api/v3/walletInformation?address=${address}`, '{"balance":null}', '{"balance":null}'],
  ])('%s %s', async (path, body, expected) => {
    exchange.behaviour = respondWith(200, 'application/json', body, { 'content-length': String(body.length) })
    expect(await exchange.read(await exchange.gateway.call(path))).toEqual({ status: 200, body: expected })
  })

  it('are not searched in other or compressed responses', async () => {
    exchange.behaviour = respondWith(200, 'text/html', '<html>')
    expect(await exchange.failure(await exchange.gateway.call('/api/v3/jetton/masters'))).toEqual({
      status: 502,
      error: 'The response of the upstream does not follow the jetton chain API.',
    })
    const body = '{"jetton_masters":[],"metadata":{}}'
    exchange.behaviour = (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(gzipSync(body))
    expect(await exchange.read(await exchange.gateway.call('/api/v3/jetton/masters'))).toEqual({
      status: 200,
      body,
    })
  })

  it('stream through when they are long, for any chunk boundaries', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => ({ index, text: 'ü€'.repeat(10) }))
    const bytes = Buffer.from(JSON.stringify({ jetton_masters: rows, metadata: null }))
    exchange.behaviour = async (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(bytes.length) })
      for (let at = 0; at < bytes.length; at += 4_095) {
        if (!response.write(bytes.subarray(at, at + 4_095))) await once(response, 'drain')
      }
      response.end()
    }
    const response = await exchange.gateway.call('/api/v3/jetton/masters')
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
    const received = Buffer.from(await response.arrayBuffer())
    const digest = (content: Buffer) => createHash('sha256').update(content).digest('hex')
    expect(digest(received)).toBe(digest(bytes))
  })

  it('come from the index upstream', async () => {
    const index = await serve(respondWith(200, 'application/json', '{"last":{}}'))
    const split = await listenToJetton(exchange.node.url, { index: index.url })
    expect(await exchange.read(await split.call('/api/v3/masterchainInfo'))).toEqual({
      status: 200,
      body: '{"last":{}}',
    })
    expect(exchange.requests).toEqual([])
    await exchange.read(await split.call('/api/v2/getMasterchainInfo'))
    expect(exchange.requests).toHaveLength(1)
    await split.stop()
    await index.stop()
  })
})

it('no response, log or metric contains a secret', () => exchange.expectNoSecret())
