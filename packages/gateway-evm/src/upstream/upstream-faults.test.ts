import { once } from 'node:events'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Behaviour, startTestNode } from '@fairlead/gateway-core/testing/serve'
import { inFrontOf, type ListenerFixture, token } from '../testing/listener-fixture.ts'
import { sendRaw } from '@fairlead/http1/testing/raw-http'
import { unusedUrl } from '@fairlead/vitest/http-server'
import { processSocketData } from '@fairlead/vitest/wait-for'
import { respondWith, responseWithCallId, withCallId } from '@fairlead/gateway-core/testing/with-call-id'

const chainId = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'

function post(gateway: ListenerFixture, body: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${gateway.url}/${token}`, { method: 'POST', body, ...init })
}

/** Returns the counts of the meter: method, status class, number of requests. */
async function counted(gateway: ListenerFixture): Promise<string[]> {
  const line = /^fairlead_node_requests_total\{protocol="evm",method="(.*)",status="(.*)"\} (.*)$/gm
  return [...(await gateway.metrics()).matchAll(line)].map(([, ...parts]) => parts.join(' '))
}

/** Starts a server that sends the same bytes, with the id of the call, to every client that sends data. */
async function nodeThatSends(textWith: (id: string) => string): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (request) => socket.end(textWith(withCallId(String(request), '"id":1').slice(5))))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function chunkOf(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`
}

describe('a failing node', () => {
  it('returns 502 when it is unreachable, also for each call of a batch', async () => {
    const gateway = await inFrontOf(unusedUrl())
    const response = await post(gateway, chainId)
    expect(response.status).toBe(502)
    expect(response.headers.get('x-request-id')).toMatch(/.{20}/)
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32603, message: 'The upstream is unreachable.' },
    })
    const batch = await post(gateway, `[${chainId}]`)
    expect(batch.status).toBe(200)
    expect(await batch.json()).toMatchObject([{ id: 1, error: { code: -32603 } }])
    expect(await counted(gateway)).toEqual(['eth_chainId 5xx 1', 'batch 2xx 1'])
  })

  it('returns 504 when it times out', async () => {
    const gateway = await inFrontOf(await startTestNode(() => undefined), { timeoutMs: 150 })
    const response = await post(gateway, chainId)
    expect(response.status).toBe(504)
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32603 } })
    const batch = await post(gateway, `[${chainId}]`)
    expect(await batch.json()).toMatchObject([
      { error: { message: 'The upstream did not respond in time.' } },
    ])
  })

  it.each([
    ['HTTP 500', (_, response) => response.writeHead(500).end('oops')],
    ['a redirect', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['HTML', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
    ['no content type', (_, response) => response.writeHead(200).end(chainId)],
    ['HTML with the content type of JSON', respondWith('<html>')],
    ['nothing', respondWith('')],
    ['a list', respondWith('[]')],
    ['compressed bytes', respondWith('\u{1f}\u{8b}\b', { 'content-encoding': 'gzip' })],
  ] satisfies [string, Behaviour][])('returns 502 when the response is %s', async (_, listener) => {
    const gateway = await inFrontOf(await startTestNode(listener))
    const response = await post(gateway, chainId)
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32603 } })
    expect((await post(gateway, chainId)).status).toBe(502)
  })

  it.each([
    ['no JSON', respondWith('{"jsonrpc":"2.0","id":1,"res')],
    ['no JSON-RPC', respondWith('{"message":"hi"}')],
    ['a number', respondWith('5')],
    ['null', respondWith('null')],
  ])('fails only the affected call of a batch when the response is %s', async (_, listener) => {
    const gateway = await inFrontOf(await startTestNode(listener))
    const response = await post(gateway, `[${chainId},{"jsonrpc":"2.0","id":2,"method":"eth_syncing"},3]`)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject([
      { id: 1, error: { code: -32603 } },
      { id: 2, error: { code: -32603 } },
      { id: null, error: { code: -32600 } },
    ])
  })

  it.each([
    ['with a length', 'content-length: 500\r\n\r\n', (text: string) => text],
    ['in chunks', 'transfer-encoding: chunked\r\n\r\n', chunkOf],
  ])('returns 502 when a short response is truncated %s', async (_, rest, framed) => {
    const half = (id: string) => framed(`{"jsonrpc":"2.0","id":${id},"result":"0x12`)
    const gateway = await inFrontOf(
      await nodeThatSends((id) => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${rest}${half(id)}`),
    )
    const response = await post(gateway, chainId)
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32603 } })
    expect(await (await post(gateway, `[${chainId}]`)).json()).toMatchObject([{ error: { code: -32603 } }])
  })

  it.each([
    ['with a length', 'content-length: 200000\r\n\r\n', (text: string) => text],
    ['in chunks', 'transfer-encoding: chunked\r\n\r\n', chunkOf],
  ])('never makes a long response that is truncated %s look complete', async (_, rest, framed) => {
    const half = (id: string) => framed(`{"jsonrpc":"2.0","id":${id},"result":"0x${'1'.repeat(100_000)}`)
    const node = await nodeThatSends(
      (id) => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${rest}${half(id)}`,
    )
    const gateway = await inFrontOf(node)
    await expect(post(gateway, chainId).then((response) => response.text())).rejects.toThrow()
    const body = `POST /${token} HTTP/1.1\r\nhost: x\r\ncontent-length: ${chainId.length}\r\n\r\n${chainId}`
    const { text } = await sendRaw(gateway.port, body)
    expect(text).not.toMatch(/\r\n0\r\n\r\n$/)
    expect(await (await post(gateway, `[${chainId}]`)).json()).toMatchObject([{ error: { code: -32603 } }])
    await vi.waitFor(
      async () => expect(await counted(gateway)).toEqual(['eth_chainId 5xx 2', 'batch 2xx 1']),
      20_000,
    )
  })

  it('accepts a response that ends with the connection only when the JSON is complete', async () => {
    const head = 'HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n'
    const complete = await inFrontOf(
      await nodeThatSends((id) => `${head}{"jsonrpc":"2.0","id":${id},"result":"0x1"}`),
    )
    expect(await (await post(complete, chainId)).json()).toEqual({ jsonrpc: '2.0', id: 1, result: '0x1' })
    const half = await inFrontOf(
      await nodeThatSends((id) => `${head}{"jsonrpc":"2.0","id":${id},"result":{"a":{}`),
    )
    expect((await post(half, chainId)).status).toBe(502)
  })

  it.each([
    ['a short response, which is a 504', ''],
    ['a long response, which is truncated after the timeout', 'x'.repeat(100_000)],
  ])('times out when it stalls in the middle of %s', async (_, more) => {
    const node = await startTestNode(async (request, response) => {
      const text = await responseWithCallId(request, `{"jsonrpc":"2.0","id":1,"result":"${more}`)
      response.writeHead(200, { 'content-type': 'application/json' }).write(text)
    })
    const gateway = await inFrontOf(node, { timeoutMs: 150 })
    const response = post(gateway, chainId)
    if (more) await expect(response.then((partial) => partial.text())).rejects.toThrow()
    else expect((await response).status).toBe(504)
  })

  it('does not block other calls while one call gets no response', async () => {
    let end = () => {}
    const node = await startTestNode(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      const isSlow = text.includes('debug_')
      const respond = () =>
        response
          .setHeader('content-type', 'application/json')
          .end(withCallId(text, `{"jsonrpc":"2.0","id":1,"result":${isSlow ? '{}' : '"0x1"'}}`))
      if (isSlow) end = respond
      else respond()
    })
    const gateway = await inFrontOf(node)
    let isOver = false
    const params = [`0x${'1'.repeat(64)}`]
    const slow = post(
      gateway,
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceTransaction', params }),
    ).then((response) => {
      isOver = true
      return response.text()
    })
    const shortCall = chainId.replace('eth_chainId', 'eth_blockNumber')
    const responses = await Promise.all(Array.from({ length: 200 }, () => post(gateway, shortCall)))
    for (const response of responses) expect(await response.json()).toMatchObject({ result: '0x1' })
    expect(isOver).toBe(false)
    end()
    expect(await slow).toContain('"result":{}')
  })

  it('receives no batches from clients or adapters when it rejects them', async () => {
    const node = await startTestNode(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      const header = { number: '0x1', timestamp: '0x1', gasLimit: '0x1', miner: '0x0', transactions: [] }
      const trace = { gas: 1, failed: false, returnValue: '', structLogs: [] }
      const result = text.includes('eth_getBlock')
        ? header
        : text.includes('diffMode')
          ? { pre: {}, post: {} }
          : trace
      const content = text.startsWith('[')
        ? { jsonrpc: '2.0', id: null, error: { code: -32005, message: 'no batches' } }
        : { jsonrpc: '2.0', id: 1, result }
      response.setHeader('content-type', 'application/json').end(withCallId(text, JSON.stringify(content)))
    })
    const gateway = await inFrontOf(node)
    const bundles = [{ transactions: [{ to: `0x${'0'.repeat(40)}` }] }]
    const params = [bundles, { blockNumber: '0x1', transactionIndex: 1 }]
    const call = { jsonrpc: '2.0', id: 1, method: 'debug_traceCallMany', params }
    const response = {
      id: 1,
      result: [{ gas: 1, gasUsed: 1, failed: false, returnValue: '0x', structLogs: [] }],
    }
    const responses = await (await post(gateway, JSON.stringify([call, call]))).json()
    expect(responses).toMatchObject([response, response])
  })

  it.each(['http://', 'not an address with s3cr3t', 'ftp://user:s3cr3t@node/'])(
    'returns 503 without the URL when its URL is %s',
    async (address) => {
      const gateway = await inFrontOf(address)
      const response = await post(gateway, chainId)
      expect(response.status).toBe(503)
      expect(`${await response.text()}${gateway.log()}${await gateway.metrics()}`).not.toContain('s3cr3t')
    },
  )
})

describe('a response that is too large to buffer', () => {
  const mebibyte = 1024 * 1024
  const head = '{"jsonrpc":"2.0","id":1,"result":"'

  it('is streamed, and rejected where it would have to be buffered', async () => {
    const gateway = await inFrontOf(await startTestNode(respondWith(`${head}${'x'.repeat(70 * mebibyte)}"}`)))
    expect((await (await post(gateway, chainId)).text()).length).toBe(head.length + 70 * mebibyte + 2)
    const batch = await post(gateway, `[${chainId}]`)
    expect(await batch.json()).toMatchObject([{ id: 1, error: { code: -32005 } }])
  })

  it('releases its memory for the other responses of the batch', async () => {
    const waiting: ServerResponse[] = []
    const node = await startTestNode(async (request, response) => {
      const begin = await responseWithCallId(request, head)
      response.writeHead(200, { 'content-type': 'application/json' }).write(begin)
      waiting.push(response)
      if (waiting.length < 2) return
      // Both responses grow at the same rate, so that neither is complete when the memory budget is exhausted.
      const growing = waiting.map((pending) => ({ pending, closed: once(pending, 'close') }))
      for (let size = 0; size < 40; size++) {
        for (const { pending, closed } of growing) {
          const written = new Promise((resolve) => pending.write('x'.repeat(mebibyte), resolve))
          // The rejected response is closed, and its write callback may never be called.
          if (!pending.destroyed) await Promise.race([written, closed])
        }
      }
      for (const pending of waiting) pending.end('"}')
    })
    const batch = await post(await inFrontOf(`${node}#batch=1`), `[${chainId},${chainId}]`)
    const responses = (await batch.json()) as { error?: { code: number } }[]
    expect(responses.map(({ error }) => error?.code ?? 0).toSorted((a, b) => a - b)).toEqual([-32005, 0])
  })
})

describe('a request to a node', () => {
  /** Starts an upstream that records its requests, and responds with the received id. */
  async function recording() {
    const bodies: string[] = []
    const headers: Record<string, unknown>[] = []
    const node = await startTestNode(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      bodies.push(text)
      headers.push(request.headers)
      const call = JSON.parse(text) as { id: unknown } | readonly { id: unknown }[]
      const responseTo = ({ id }: { id: unknown }) => ({ jsonrpc: '2.0', id, result: '0x1' })
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify('id' in call ? responseTo(call) : call.map(responseTo)))
    })
    return { bodies, headers, node }
  }

  it('contains only the checked method, whatever the envelope contains', async () => {
    const { bodies, node } = await recording()
    const gateway = await inFrontOf(node)
    const smuggled = [
      '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","Method":"evil","METHOD":"evil","params":[]}',
      '{"jsonrpc":"2.0","id":1,"method":"evil","method":"eth_chainId","params":[]}',
      '{"jsonrpc":"2.0","id":1,"m\\u0065thod":"evil","method":"eth_chainId","Params":["evil"]}',
      '{"jsonrpc":"2.0","id":1,"__proto__":{"method":"evil"},"method":"eth_chainId"}',
    ]
    for (const body of [...smuggled, `[${smuggled.join(',')}]`])
      expect((await post(gateway, body)).status).toBe(200)
    expect(bodies).toHaveLength(5)
    for (const body of bodies) expect(body).not.toMatch(/evil/i)
    await post(gateway, '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","method":"evil"}')
    expect(bodies).toHaveLength(5)
  })

  it('contains the params verbatim, followed by defaults', async () => {
    const { bodies, node } = await recording()
    const gateway = await inFrontOf(node)
    const sent = async (method: string, params: string) => {
      await (await post(gateway, `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`)).text()
      return (bodies.at(-1) ?? '').replace(/^.*"params":(.*)}$/s, '$1')
    }
    expect(await sent('eth_getBalance', '["0xAb" ]')).toBe('["0xAb" ,"latest"]')
    expect(await sent('eth_getBalance', '["0xAb", "0x1"]')).toBe('["0xAb", "0x1"]')
    expect(await sent('eth_feeHistory', '[1.0,12345678901234567890]')).toBe('[1.0,12345678901234567890,[]]')
    expect(await sent('eth_newPendingTransactionFilter', '[]')).toBe('[]')
    expect(await sent('eth_call', '[{"to":"0x1"}]')).toBe('[{"to":"0x1"},"latest"]')
    const deep = '['.repeat(900) + ']'.repeat(900)
    expect(await sent('eth_getBalance', `[${deep}]`)).toBe(`[${deep},"latest"]`)
  })

  it.each(['12345678901234567890', '1.0', '-0', '1e2', 'null', '"\\u0041"', '-7', '0', '7', '"a"'])(
    'has an id that the node supports, and the caller receives the id %s verbatim',
    async (id) => {
      const { bodies, node } = await recording()
      const gateway = await inFrontOf(node)
      const body = `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`
      expect(await (await post(gateway, body)).text()).toBe(`{"jsonrpc":"2.0","id":${id},"result":"0x1"}`)
      expect(await (await post(gateway, `[${body}]`)).text()).toBe(
        `[{"jsonrpc":"2.0","id":${id},"result":"0x1"}]`,
      )
      for (const pending of bodies) expect(pending).toMatch(/"id":\d{9},/)
      const rejected = body.replace('eth_chainId', 'evil')
      expect(await (await post(gateway, rejected)).text()).toContain(`{"jsonrpc":"2.0","id":${id},"error":`)
    },
  )

  it('has the credentials of the URL, also when they are escaped or have no user name', async () => {
    const { headers, node } = await recording()
    const credentials = ['us%40er:p%3Aa%25ss@', 'user:50%@', ':only@', '']
    for (const part of credentials) {
      await post(await inFrontOf(node.replace('//', `//${part}`)), chainId)
    }
    const sent = headers.map(({ authorization }) =>
      typeof authorization === 'string'
        ? Buffer.from(authorization.slice(6), 'base64').toString()
        : undefined,
    )
    expect(sent).toEqual(['us@er:p:a%ss', 'user:50%', ':only', undefined])
    expect(headers.every(({ host }) => `http://${String(host)}` === node)).toBe(true)
  })

  it('is also sent for a notification, which gets no response', async () => {
    const { bodies, node } = await recording()
    const gateway = await inFrontOf(node)
    const notification = '{"jsonrpc":"2.0","method":"eth_chainId"}'
    for (const body of [notification, `[${notification}]`, '{"jsonrpc":"2.0","method":"evil"}']) {
      const response = await post(gateway, body)
      expect([response.status, await response.text()]).toEqual([204, ''])
    }
    expect(bodies).toHaveLength(2)
    const mixed = await post(gateway, `[${notification},${chainId}]`)
    expect(await mixed.json()).toEqual([{ jsonrpc: '2.0', id: 1, result: '0x1' }])
  })

  it.each(['', '{"jsonrpc":"2.0","id":1,"result":"'])(
    'is cancelled when the client disconnects after %j of the response',
    async (part) => {
      let [isRequested, isOpen] = [false, true]
      const node = await startTestNode(async (request, response) => {
        isRequested = true
        request.socket.on('close', () => (isOpen = false))
        response.writeHead(200, { 'content-type': 'application/json' })
        if (part) response.write(await responseWithCallId(request, part))
        else response.flushHeaders()
      })
      const gateway = await inFrontOf(node)
      const request = `POST /${token} HTTP/1.1\r\nhost: x\r\ncontent-length: ${chainId.length}\r\n\r\n${chainId}`
      const client = connect(gateway.port, '127.0.0.1', () => client.write(request))
      if (part) await once(client, 'data')
      else {
        await vi.waitFor(() => expect(isRequested).toBe(true), 20_000)
        await processSocketData()
      }
      expect(isOpen).toBe(true)
      client.destroy()
      await vi.waitFor(() => expect(isOpen).toBe(false), 20_000)
      await vi.waitFor(() => expect(gateway.log()).toContain('"status":499'), 20_000)
      expect(await counted(gateway)).toEqual(['eth_chainId 4xx 1'])
      expect(gateway.log()).not.toContain('failed')
    },
  )
})

describe('a client that does not read', () => {
  it('has its response discarded after the upstream timeout', async () => {
    const node = await startTestNode(
      respondWith(`{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(10_000_000)}"}`),
    )
    const gateway = await inFrontOf(node, { timeoutMs: 1_000 })
    const socket = connect(gateway.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined)
    const body = `[${Array<string>(5).fill(chainId).join(',')}]`
    socket.write(`POST /${token} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    socket.pause()
    await vi.waitFor(() => expect(gateway.log()).toContain('"status":200'), { timeout: 50_000 })
    await vi.waitFor(async () => expect(await gateway.connections()).toBe(0), { timeout: 50_000 })
    let length = 0
    socket.on('data', (chunk) => (length += chunk.length)).resume()
    await vi.waitFor(() => expect(socket.closed || length > 50_000_000).toBe(true), { timeout: 50_000 })
    expect(length).toBeLessThan(50_000_000)
  })
})
