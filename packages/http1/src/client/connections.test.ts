import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTick } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { unusedUrl } from '@fairlead/vitest/http-server'
import { waitFor } from '@fairlead/vitest/wait-for'
import { headerLines } from './header-lines.ts'
import type { ReceivedResponse } from './types.ts'
import { connectionsTo, plain, post, scriptedUpstream } from '../testing/scripted-upstream.ts'

async function textOf(response: ReceivedResponse): Promise<string> {
  let text = ''
  for await (const chunk of response.body as AsyncIterable<Buffer>) text += chunk.toString()
  return text
}

describe('a call', () => {
  it('arrives unchanged, and its response is complete', async () => {
    const received: unknown[] = []
    const server = createHttpServer()
    const handle = async (request: IncomingMessage, response: ServerResponse) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      received.push({ method: request.method, url: request.url, headers: request.headers, body })
      response.setHeader('x-one', 'a').setHeader('Set-Cookie', ['b=1', 'c=2']).end(`got ${body}`)
    }
    server.on('request', (request, response) => void handle(request, response)).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const connections = connectionsTo(new URL(`http://${host}`))
    const fields = headerLines({ 'x-two': 'caf\xe9' })
    const first = await connections.request(post('sm\u00f8rrebr\u00f8d', { target: '/a?b=c', fields }))
    expect(first.status).toBe(200)
    expect(first.bytes?.toString()).toBe('got sm\u00f8rrebr\u00f8d')
    expect(await textOf(first)).toBe('got sm\u00f8rrebr\u00f8d')
    expect(first.headers).toMatchObject({ 'x-one': 'a', 'set-cookie': 'b=1, c=2' })
    const big = Buffer.alloc(300_000, 'x')
    expect((await connections.request(post('', { body: big, target: '/big' }))).status).toBe(200)
    const head = await connections.request({ ...post(''), method: 'HEAD', body: undefined, target: '/head' })
    expect([head.status, head.bytes?.length]).toEqual([200, 0])
    const commonHeaders = { host, 'accept-encoding': 'identity' }
    expect(received).toEqual([
      {
        method: 'POST',
        url: '/a?b=c',
        headers: { ...commonHeaders, 'x-two': 'caf\xe9', 'content-length': '12' },
        body: 'smørrebrød',
      },
      {
        method: 'POST',
        url: '/big',
        headers: { ...commonHeaders, 'content-length': '300000' },
        body: big.toString(),
      },
      { method: 'HEAD', url: '/head', headers: commonHeaders, body: '' },
    ])
  })

  it.each(['', 'x', '/a b', '/a\r\nx: y', '/\u010a', '/\u{1f600}'])(
    'cannot be for the target %j',
    async (target) => {
      const { url, requests } = await scriptedUpstream(() => undefined)
      await expect(connectionsTo(url).request(post('', { target }))).rejects.toThrow('target')
      expect(requests).toHaveLength(0)
    },
  )

  it.each([
    ['a', 'b\r\nc: d'],
    ['a', '\u010a'],
    ['a\r\nb', 'c'],
    ['', 'c'],
    ['a b', 'c'],
  ])('cannot have the field %j with %j', (name, value) => {
    expect(() => headerLines({ [name]: value })).toThrow('A header field contains an invalid character.')
  })

  it('reuses the connection of the previous call', async () => {
    const { url, requests } = await scriptedUpstream(({ socket }) => socket.write(plain('a')))
    const connections = connectionsTo(url)
    for (let count = 0; count < 5; count++) await connections.request(post(''))
    expect(requests.map(({ connection, sequence }) => [connection, sequence])).toEqual(
      [1, 2, 3, 4, 5].map((n) => [1, n]),
    )
  })

  it('waits for a connection when all are in use', async () => {
    const pending: (() => void)[] = []
    const { url, sockets, requests } = await scriptedUpstream(({ socket }) =>
      pending.push(() => socket.write(plain('a'))),
    )
    const connections = connectionsTo(url, { maxConnections: 6 })
    const responses = Array.from({ length: 5 }, () => connections.request(post('slow')))
    // The other connections are reserved for short calls, so that this later call arrives before the rest.
    responses.push(connections.request(post('quick', { latencyClass: 'short', isBuffered: true })))
    await waitFor(() => requests.some(({ body }) => body === 'quick'))
    expect(requests.map(({ body }) => body).toSorted()).toEqual(['quick', 'slow', 'slow'])
    expect(sockets.size).toBe(3)
    for (let count = 0; count < 6; count++) {
      await waitFor(() => pending.length > 0)
      pending.shift()?.()
    }
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(Array(6).fill(200))
  })
})

describe('a connection that the upstream has closed', () => {
  /** Responds to the first call of the first connection, and closes that connection when the second call arrives. */
  const stale = (end: 'end' | 'resetAndDestroy' | 'garbage') =>
    scriptedUpstream(({ socket, connection, sequence }) => {
      if (connection > 1 || sequence === 1) socket.write(plain(`${connection}`))
      else if (end === 'garbage') socket.end('HTTP/1.1 200 OK\r\ncontent-le')
      else socket[end]()
    })

  it.each(['end', 'resetAndDestroy'] as const)('by %s does not fail a repeatable call', async (end) => {
    const { url } = await stale(end)
    const connections = connectionsTo(url)
    for (const expected of ['1', '2', '2']) {
      expect((await connections.request(post(''))).bytes?.toString()).toBe(expected)
    }
  })

  it('fails a call that is not repeatable', async () => {
    const { url, requests } = await stale('end')
    const connections = connectionsTo(url)
    await connections.request(post(''))
    await expect(connections.request(post('once', { isRepeatable: false }))).rejects.toMatchObject({
      kind: 'reset',
    })
    expect(requests.filter(({ body }) => body === 'once')).toHaveLength(1)
  })

  it('gets a repeatable call again, once, when the response has started', async () => {
    const { url, requests } = await stale('garbage')
    const connections = connectionsTo(url)
    await connections.request(post(''))
    expect((await connections.request(post(''))).status).toBe(200)
    expect(requests).toHaveLength(3)
    const cut = await scriptedUpstream(({ socket }) => socket.end('HTTP/1.1 200'))
    await expect(connectionsTo(cut.url).request(post(''))).rejects.toMatchObject({ kind: 'reset' })
    expect(cut.requests).toHaveLength(2)
  })

  it('fails another call when the response has started', async () => {
    const { url, requests } = await stale('garbage')
    const connections = connectionsTo(url)
    await connections.request(post(''))
    await expect(connections.request(post('', { isRepeatable: false }))).rejects.toMatchObject({
      kind: 'reset',
    })
    expect(requests).toHaveLength(2)
  })

  it('fails the call when the connection is new', async () => {
    const { url, requests } = await scriptedUpstream(({ socket }) => socket.end())
    await expect(connectionsTo(url).request(post(''))).rejects.toMatchObject({ kind: 'reset' })
    expect(requests).toHaveLength(1)
  })

  it('after connection: close is not reused', async () => {
    const { url, requests } = await scriptedUpstream(({ socket }) =>
      socket.write(plain('', 'Connection: close\r\n')),
    )
    const connections = connectionsTo(url)
    for (let count = 0; count < 3; count++) await connections.request(post(''))
    expect(requests.map(({ connection }) => connection)).toEqual([1, 2, 3])
  })

  it('is closed before the announced keep-alive timeout', async () => {
    const { url, sockets } = await scriptedUpstream(({ socket }) =>
      socket.write(plain('', 'Keep-Alive: timeout=1\r\n')),
    )
    await connectionsTo(url).request(post(''))
    await waitFor(() => sockets.size === 0)
  })
})

describe('an upstream that misbehaves', () => {
  it.each([
    ['speaks another protocol', 'hello\r\n\r\n', 'malformed'],
    [
      'declares two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx',
      'malformed',
    ],
    ['says nothing', '', 'reset'],
    ['ends within the head', 'HTTP/1.1 200 OK\r\nconte', 'reset'],
    ['ends after an interim answer', 'HTTP/1.1 100 Continue\r\n\r\n', 'reset'],
    ['ends before the body', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n', 'reset'],
    ['ends within the body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', 'reset'],
    ['ends within a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhalf', 'reset'],
    ['ends without a last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n', 'reset'],
  ] as const)('and %s is a failure', async (_, text, kind) => {
    const { url } = await scriptedUpstream(({ socket }) => socket.end(text, 'latin1'))
    const call = post('', { isBuffered: true })
    await expect(connectionsTo(url).request(call)).rejects.toMatchObject({ kind })
    // A caller that does not wait for the whole body receives the error when reading.
    const response = connectionsTo(url).request(post(''))
    await expect(response.then(textOf)).rejects.toMatchObject({ kind })
  })

  it('and ends a response early causes an error, also for a later reader', async () => {
    const { url, requests } = await scriptedUpstream(({ socket, connection }) =>
      socket.write(connection === 1 ? 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf' : plain('next')),
    )
    const connections = connectionsTo(url, { maxConnections: 1 })
    const response = await connections.request(post(''))
    requests[0]?.socket.resetAndDestroy()
    // A second connection is opened once the end of the first one has been noticed.
    expect((await connections.request(post(''))).bytes?.toString()).toBe('next')
    await expect(textOf(response)).rejects.toMatchObject({ kind: 'reset' })
  })

  it('and sends an unsolicited response causes the connection to be closed', async () => {
    const { url, requests, sockets } = await scriptedUpstream(({ socket }) =>
      socket.write(plain('a') + plain('poison')),
    )
    const connections = connectionsTo(url)
    expect((await connections.request(post(''))).bytes?.toString()).toBe('a')
    expect((await connections.request(post(''))).bytes?.toString()).toBe('a')
    expect(requests.map(({ connection }) => connection)).toEqual([1, 2])
    await waitFor(() => sockets.size === 0)
  })

  it('and sends its response byte by byte does not time out while bytes arrive', async () => {
    const { url } = await scriptedUpstream(async ({ socket }) => {
      for (const letter of plain('drip')) {
        socket.write(letter)
        await nextTick()
      }
    })
    const connections = connectionsTo(url, { bodyTimeoutMs: 5_000 })
    expect((await connections.request(post('', { isBuffered: true }))).bytes?.toString()).toBe('drip')
  })

  it.each([
    ['silent', ''],
    ['silent after an interim answer', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['silent within the head', 'HTTP/1.1 200 OK\r\n'],
    ['silent within the body', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nx'],
  ])('and is %s times out', async (_, text) => {
    const { url, sockets } = await scriptedUpstream(({ socket }) => socket.write(text))
    const connections = connectionsTo(url, { headTimeoutMs: 100, bodyTimeoutMs: 100 })
    await expect(connections.request(post('', { isBuffered: true }))).rejects.toMatchObject({
      kind: 'timeout',
    })
    await waitFor(() => sockets.size === 0)
  })

  it('and cannot be reached is reported as connect_failed', async () => {
    const url = new URL(unusedUrl())
    const failed = connectionsTo(url).request(post(''))
    await expect(failed).rejects.toMatchObject({ kind: 'connect_failed' })
    await expect(failed).rejects.not.toThrow(url.port)
  })

  it('and does not accept the connection in time is reported as connect_failed', async () => {
    // A documentation address that is not in use; when it is unreachable, the failure is the same.
    const connections = connectionsTo(new URL('http://192.0.2.1:9'), { connectTimeoutMs: 100 })
    await expect(connections.request(post(''))).rejects.toMatchObject({ kind: 'connect_failed' })
  })

  it('and responds before the request is complete is accepted, and the connection is not reused', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.pause().write('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno'))
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const connections = connectionsTo(new URL(`http://127.0.0.1:${port}`))
    for (let count = 0; count < 2; count++) {
      const response = await connections.request(post('', { body: Buffer.alloc(20_000_000) }))
      expect([response.status, response.bytes?.toString()]).toEqual([413, 'no'])
    }
  })
})
