import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { beaconBasic, beaconInFrontOf, beaconToken } from '../testing/beacon-fixture.ts'
import { type Behaviour, nodeThat } from '@fairlead/gateway-core/testing/serve'
import { waitFor } from '@fairlead/vitest/wait-for'

const path = '/eth/v1/debug/fork_choice'
const json = { 'content-type': 'application/json' }

/** An upstream that sends the given bytes to each client once the client has sent data. */
async function nodeThatSends(text: string): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(text))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The URL of a port on which no process listens. */
async function deserted(): Promise<string> {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

/** Returns the gateway's response for an upstream with the given behavior. */
async function failure(behaviour: Behaviour, timeoutMs = 600_000) {
  const gateway = await beaconInFrontOf(await nodeThat(behaviour), { timeoutMs })
  return answerOf(await gateway.call(path))
}

async function answerOf(response: Response) {
  expect(response.headers.get('content-type')).toBe('application/json')
  const { code, message } = (await response.json()) as { code: number; message: string }
  expect(code).toBe(response.status)
  return { status: response.status, message }
}

describe('a node that fails', () => {
  it('and cannot be reached is a 502', async () => {
    const gateway = await beaconInFrontOf(await deserted())
    expect(await answerOf(await gateway.call(path))).toEqual({
      status: 502,
      message: 'The node cannot be reached.',
    })
    expect(await gateway.counted()).toEqual(['getDebugForkChoice 5xx 1'])
  })

  it.each([
    ['speaks no HTTP', 'hello\r\n\r\n'],
    ['hangs up', ''],
    ['hangs up within the head', 'HTTP/1.1 200 OK\r\ncontent-type: appl'],
    [
      'hangs up before the body',
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n',
    ],
  ])('and %s is a 502', async (_, text) => {
    const gateway = await beaconInFrontOf(await nodeThatSends(text))
    expect(await answerOf(await gateway.call(path))).toMatchObject({ status: 502 })
  })

  it.each([
    ['length', 'content-length: 90'],
    ['chunks', 'transfer-encoding: chunked'],
  ])('within a body told by %s breaks off the answer: half a result never looks whole', async (_, header) => {
    const body = header.startsWith('t') ? '8\r\n{"data":\r\n' : '{"data":'
    const node = await nodeThatSends(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${header}\r\n\r\n${body}`,
    )
    const gateway = await beaconInFrontOf(node)
    const response = await gateway.call(path)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
    await waitFor(async () => expect(await gateway.counted()).toEqual(['getDebugForkChoice 5xx 1']))
  })

  it('and says twice what its answer is written in is believed the first time', async () => {
    const types = 'content-type: application/json\r\ncontent-type: text/html\r\n'
    const node = await nodeThatSends(`HTTP/1.1 200 OK\r\n${types}content-length: 2\r\n\r\n{}`)
    const response = await (await beaconInFrontOf(node)).call(path)
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'application/json',
      '{}',
    ])
  })

  it('and is slow to answer is a 504', async () => {
    expect(await failure(() => undefined, 300)).toEqual({
      status: 504,
      message: 'The node did not answer in time.',
    })
  })

  it('and stops before a body is a 504', async () => {
    const stopped = await failure((_, response) => response.writeHead(200, json).flushHeaders(), 300)
    expect(stopped).toEqual({ status: 504, message: 'The node did not answer in time.' })
  })

  it('and stops within a body breaks off the answer, and is to blame', async () => {
    const node = await nodeThat((_, response) => response.writeHead(200, json).write('{"data":'))
    const gateway = await beaconInFrontOf(node, { timeoutMs: 1_000 })
    const response = await gateway.call(path)
    await expect(response.text()).rejects.toThrow()
    await waitFor(async () => expect(await gateway.counted()).toEqual(['getDebugForkChoice 5xx 1']))
  })

  it('goes on as long as something comes, however long the whole takes', async () => {
    const node = await nodeThat(async (_, response) => {
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

describe('an error of a node', () => {
  it.each([
    ['is passed on as it is', 404, json, '{"code":404,"message":"no state"}', 404, 'no state'],
    [
      'of an older kind is translated',
      500,
      json,
      '{"statusCode":500,"error":"E","message":"why"}',
      500,
      'why',
    ],
    ['in plain text is translated', 400, { 'content-type': 'text/plain' }, 'bad slot\n', 400, 'bad slot'],
    ['without a body gets one', 503, {}, '', 503, 'The node answered HTTP 503.'],
    [
      'that is a page gets a text',
      502,
      { 'content-type': 'text/html' },
      '<h1>nginx</h1>',
      502,
      'The node answered HTTP 502.',
    ],
    [
      'of any length is read as far as it is sensible',
      500,
      json,
      `{"message":"${'x'.repeat(5e6)}"}`,
      500,
      'The node answered HTTP 500.',
    ],
    [
      'about a method is one about the operation',
      405,
      json,
      '{"message":"no"}',
      501,
      'The node does not offer this operation.',
    ],
    [
      'about a credential is none of the client',
      401,
      json,
      '{"message":"no"}',
      502,
      'The node refuses the credential of this service.',
    ],
    [
      'about a right is none of the client',
      403,
      json,
      '{"message":"no"}',
      502,
      'The node refuses the credential of this service.',
    ],
    [
      'about a proxy is none of the client',
      407,
      json,
      '{"message":"no"}',
      502,
      'The node refuses the credential of this service.',
    ],
    [
      'that leads elsewhere is not followed',
      302,
      { location: 'http://127.0.0.1:1/' },
      '',
      502,
      'The node answered HTTP 302.',
    ],
    [
      'that looks like a result is none',
      200,
      { 'content-type': 'text/html' },
      '<h1>Sign in</h1>',
      502,
      'The node answered something that is not the beacon node API.',
    ],
  ])('%s', async (_, status, headers, text, expected, message) => {
    expect(await failure((__, response) => response.writeHead(status, headers).end(text))).toEqual({
      status: expected,
      message,
    })
  })

  it('keeps the items that failed, and when to come again', async () => {
    const body = { code: 429, message: 'slow down', failures: [{ index: 2, message: 'late' }] }
    const node = await nodeThat((_, response) =>
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
  it('that leaves ends the request to the node', async () => {
    let ended = false
    const node = await nodeThat((_, response) => {
      response.on('close', () => (ended = true))
      response.writeHead(200, json).write('{')
    })
    const gateway = await beaconInFrontOf(node)
    const leaving = new AbortController()
    await gateway.call(path, { signal: leaving.signal })
    leaving.abort()
    await waitFor(() => expect(ended).toBe(true))
    await waitFor(async () => expect(await gateway.counted()).toEqual(['getDebugForkChoice 4xx 1']))
  })

  it('that leaves before the head ends the request, too', async () => {
    let asked = false
    let ended = false
    const node = await nodeThat((_, response) => {
      asked = true
      response.on('close', () => (ended = true))
    })
    const gateway = await beaconInFrontOf(node)
    const leaving = new AbortController()
    const call = gateway.call(path, { signal: leaving.signal })
    await waitFor(() => expect(asked).toBe(true))
    leaving.abort()
    await expect(call).rejects.toThrow()
    await waitFor(() => expect(ended).toBe(true))
  })
})

it('no secret and no address is in any answer, log or metric', async () => {
  const secrets = ['user-canary', 'pass-canary', 'path-canary', 'query-canary']
  const echo = await nodeThat((request, response) => {
    const { url = '', headers } = request
    const status = url.includes('/pool/') ? 500 : 404
    const told = `Route GET:${url} of ${headers.host} for ${headers.authorization} not found`
    const body = { code: status, message: told, failures: [{ index: 0, message: told }] }
    const own = { 'x-upstream': url, 'eth-consensus-version': 'fulu', location: url }
    response.writeHead(status, { ...json, ...own }).end(JSON.stringify(body))
  })
  const dead = await deserted()
  const seen: string[] = []
  for (const node of [echo, dead]) {
    const address = `${node.replace('//', '//user-canary:pass-canary@')}/path-canary?key=query-canary`
    const gateway = await beaconInFrontOf(address)
    for (const target of [path, '/eth/v1/beacon/pool/attestations', '/eth/v1/beacon/deposit_snapshot']) {
      const headers = { authorization: `Basic ${Buffer.from(beaconBasic).toString('base64')}` }
      const response = await gateway.call(target, { headers })
      expect(response.status).toBeGreaterThanOrEqual(400)
      seen.push(JSON.stringify([...response.headers]), await response.text())
    }
    seen.push(gateway.log(), await gateway.metrics())
  }
  const all = seen.join('\n')
  const addresses = [echo, dead].map((url) => new URL(url).host)
  const credentials = [beaconToken, beaconBasic, Buffer.from('user-canary:pass-canary').toString('base64')]
  for (const secret of [...secrets, ...addresses, ...credentials]) expect(all).not.toContain(secret)
})
