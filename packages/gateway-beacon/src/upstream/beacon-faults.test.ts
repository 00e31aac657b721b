import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { beaconBasic, beaconInFrontOf, beaconToken } from '../testing/beacon-fixture.ts'
import { type Behaviour, startTestNode } from '@fairlead/gateway-core/testing/serve'
import { unusedUrl } from '@fairlead/vitest/http-server'
import { waitFor } from '@fairlead/vitest/wait-for'

const path = '/eth/v1/debug/fork_choice'
const json = { 'content-type': 'application/json' }

/** An upstream that sends the given bytes to each client once the client has sent data. */
async function upstreamThatSends(text: string): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(text))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Returns the gateway's response for an upstream with the given behavior. */
async function failure(behaviour: Behaviour, timeoutMs = 600_000) {
  const gateway = await beaconInFrontOf(await startTestNode(behaviour), { timeoutMs })
  return errorOf(await gateway.call(path))
}

async function errorOf(response: Response) {
  expect(response.headers.get('content-type')).toBe('application/json')
  const { code, message } = (await response.json()) as { code: number; message: string }
  expect(code).toBe(response.status)
  return { status: response.status, message }
}

describe('a failing upstream', () => {
  it('that is unreachable causes a 502', async () => {
    const gateway = await beaconInFrontOf(unusedUrl())
    expect(await errorOf(await gateway.call(path))).toEqual({
      status: 502,
      message: 'The upstream is unreachable.',
    })
    expect(await gateway.counted()).toEqual(['getDebugForkChoice 5xx 1'])
  })

  it.each([
    ['does not speak HTTP', 'hello\r\n\r\n'],
    ['disconnects', ''],
    ['disconnects within the headers', 'HTTP/1.1 200 OK\r\ncontent-type: appl'],
    [
      'disconnects before the body',
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n',
    ],
  ])('that %s causes a 502', async (_, text) => {
    const gateway = await beaconInFrontOf(await upstreamThatSends(text))
    expect(await errorOf(await gateway.call(path))).toMatchObject({ status: 502 })
  })

  it.each([
    ['length', 'content-length: 90'],
    ['chunks', 'transfer-encoding: chunked'],
  ])('that truncates a body delimited by %s causes a truncated response', async (_, header) => {
    const body = header.startsWith('t') ? '8\r\n{"data":\r\n' : '{"data":'
    const node = await upstreamThatSends(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${header}\r\n\r\n${body}`,
    )
    const gateway = await beaconInFrontOf(node)
    const response = await gateway.call(path)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
    await waitFor(async () => expect(await gateway.counted()).toEqual(['getDebugForkChoice 5xx 1']))
  })

  it('that sends two content types is read by the first one', async () => {
    const types = 'content-type: application/json\r\ncontent-type: text/html\r\n'
    const node = await upstreamThatSends(`HTTP/1.1 200 OK\r\n${types}content-length: 2\r\n\r\n{}`)
    const response = await (await beaconInFrontOf(node)).call(path)
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'application/json',
      '{}',
    ])
  })

  it('that does not respond in time causes a 504', async () => {
    expect(await failure(() => undefined, 300)).toEqual({
      status: 504,
      message: 'The upstream did not respond in time.',
    })
  })

  it('that stalls before the body causes a 504', async () => {
    const stopped = await failure((_, response) => response.writeHead(200, json).flushHeaders(), 300)
    expect(stopped).toEqual({ status: 504, message: 'The upstream did not respond in time.' })
  })

  it('that stalls within the body causes a truncated response and a 5xx count', async () => {
    const node = await startTestNode((_, response) => response.writeHead(200, json).write('{"data":'))
    const gateway = await beaconInFrontOf(node, { timeoutMs: 1_000 })
    const response = await gateway.call(path)
    await expect(response.text()).rejects.toThrow()
    await waitFor(async () => expect(await gateway.counted()).toEqual(['getDebugForkChoice 5xx 1']))
  })

  it('does not time out while it sends data', async () => {
    const node = await startTestNode(async (_, response) => {
      response.writeHead(200, json)
      for (const part of ['{', '"data"', ':', '1', '}']) {
        await sleep(200)
        response.write(part)
      }
      response.end()
    })
    const gateway = await beaconInFrontOf(node, { timeoutMs: 600 })
    expect(await (await gateway.call(path)).text()).toBe('{"data":1}')
  })
})

describe('an upstream error', () => {
  it.each([
    ['is passed on unchanged', 404, json, '{"code":404,"message":"no state"}', 404, 'no state'],
    [
      'in an older format is converted',
      500,
      json,
      '{"statusCode":500,"error":"E","message":"why"}',
      500,
      'why',
    ],
    ['in plain text is converted', 400, { 'content-type': 'text/plain' }, 'bad slot\n', 400, 'bad slot'],
    ['without a body receives one', 503, {}, '', 503, 'The upstream returned HTTP 503.'],
    [
      'that is an HTML page is replaced',
      502,
      { 'content-type': 'text/html' },
      '<h1>nginx</h1>',
      502,
      'The upstream returned HTTP 502.',
    ],
    [
      'that is too long is not read completely',
      500,
      json,
      `{"message":"${'x'.repeat(5e6)}"}`,
      500,
      'The upstream returned HTTP 500.',
    ],
    [
      'with status 405 becomes a 501',
      405,
      json,
      '{"message":"no"}',
      501,
      'The upstream does not offer this operation.',
    ],
    [
      'with status 401 becomes a 502',
      401,
      json,
      '{"message":"no"}',
      502,
      'The upstream rejected the credential of the gateway.',
    ],
    [
      'with status 403 becomes a 502',
      403,
      json,
      '{"message":"no"}',
      502,
      'The upstream rejected the credential of the gateway.',
    ],
    [
      'with status 407 becomes a 502',
      407,
      json,
      '{"message":"no"}',
      502,
      'The upstream rejected the credential of the gateway.',
    ],
    [
      'that redirects is not followed',
      302,
      { location: 'http://127.0.0.1:1/' },
      '',
      502,
      'The upstream returned HTTP 302.',
    ],
    [
      'with status 200 and an HTML body becomes a 502',
      200,
      { 'content-type': 'text/html' },
      '<h1>Sign in</h1>',
      502,
      'The response of the upstream does not follow the beacon node API.',
    ],
  ])('%s', async (_, status, headers, text, expected, message) => {
    expect(await failure((__, response) => response.writeHead(status, headers).end(text))).toEqual({
      status: expected,
      message,
    })
  })

  it('preserves the failed items and retry-after', async () => {
    const body = { code: 429, message: 'slow down', failures: [{ index: 2, message: 'late' }] }
    const node = await startTestNode((_, response) =>
      response.writeHead(429, { ...json, 'retry-after': '7', server: 'node/1' }).end(JSON.stringify(body)),
    )
    const gateway = await beaconInFrontOf(node)
    const response = await gateway.call(path)
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('7')
    expect(response.headers.get('server')).toBeNull()
    expect(await response.json()).toEqual(body)
  })
})

describe('a client', () => {
  it('that disconnects aborts the upstream request', async () => {
    let ended = false
    const node = await startTestNode((_, response) => {
      response.on('close', () => (ended = true))
      response.writeHead(200, json).write('{')
    })
    const gateway = await beaconInFrontOf(node)
    const controller = new AbortController()
    await gateway.call(path, { signal: controller.signal })
    controller.abort()
    await waitFor(() => expect(ended).toBe(true))
    await waitFor(async () => expect(await gateway.counted()).toEqual(['getDebugForkChoice 4xx 1']))
  })

  it('that disconnects before the response headers aborts the upstream request', async () => {
    let hasReceived = false
    let ended = false
    const node = await startTestNode((_, response) => {
      hasReceived = true
      response.on('close', () => (ended = true))
    })
    const gateway = await beaconInFrontOf(node)
    const controller = new AbortController()
    const call = gateway.call(path, { signal: controller.signal })
    await waitFor(() => expect(hasReceived).toBe(true))
    controller.abort()
    await expect(call).rejects.toThrow()
    await waitFor(() => expect(ended).toBe(true))
  })
})

it('no response, log or metric contains a secret or an upstream URL', async () => {
  const secrets = ['user-canary', 'pass-canary', 'path-canary', 'query-canary']
  const echo = await startTestNode((request, response) => {
    const { url = '', headers } = request
    const status = url.includes('/pool/') ? 500 : 404
    const message = `Route GET:${url} of ${headers.host} for ${headers.authorization} not found`
    const body = { code: status, message, failures: [{ index: 0, message }] }
    const leakingHeaders = { 'x-upstream': url, 'eth-consensus-version': 'fulu', location: url }
    response.writeHead(status, { ...json, ...leakingHeaders }).end(JSON.stringify(body))
  })
  const unreachable = unusedUrl()
  const outputs: string[] = []
  for (const node of [echo, unreachable]) {
    const address = `${node.replace('//', '//user-canary:pass-canary@')}/path-canary?key=query-canary`
    const gateway = await beaconInFrontOf(address)
    for (const target of [path, '/eth/v1/beacon/pool/attestations', '/eth/v1/beacon/deposit_snapshot']) {
      const headers = { authorization: `Basic ${Buffer.from(beaconBasic).toString('base64')}` }
      const response = await gateway.call(target, { headers })
      expect(response.status).toBeGreaterThanOrEqual(400)
      outputs.push(JSON.stringify([...response.headers]), await response.text())
    }
    outputs.push(gateway.log(), await gateway.metrics())
  }
  const all = outputs.join('\n')
  const addresses = [echo, unreachable].map((url) => new URL(url).host)
  const credentials = [beaconToken, beaconBasic, Buffer.from('user-canary:pass-canary').toString('base64')]
  for (const secret of [...secrets, ...addresses, ...credentials]) expect(all).not.toContain(secret)
})
