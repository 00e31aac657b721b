import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { connect as connectTls, createServer as createTlsServer, type SecureContextOptions } from 'node:tls'
import { generate } from 'selfsigned'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sendRaw } from '../testing/raw-http.ts'
import type { Http1ServerRequest } from './request.ts'
import type { Http1ServerResponse } from './response.ts'
import { createHttp1Server, type Http1ServerOptions } from './http1-server.ts'

const longTimeout = { timeout: 50_000 }

type Serve = (request: Http1ServerRequest<string, object>, response: Http1ServerResponse) => void

/** Matches all paths except those of another protocol. */
const match = (target: string) => (target.startsWith('/v1/') ? undefined : target)

/** Responds with the request. */
const echo: Serve = ({ url, bufferedBody }, response) =>
  response.end(`http1 ${url} ${bufferedBody}`, 'latin1')

/** Opens a port of the server; requests that fall back to node:http get the response `node`. */
async function port(
  serve: Serve = echo,
  {
    tls,
    ...options
  }: Partial<Http1ServerOptions<string, object>> & { readonly tls?: SecureContextOptions } = {},
  onFallback: () => void = () => undefined,
) {
  const fallback = createServer((request, response) => {
    onFallback()
    let body = ''
    request.on('data', (bytes: Buffer) => (body += bytes.toString()))
    request.on('end', () => response.end(`node ${request.method} ${request.url} ${body}`))
  })
  const http1 = createHttp1Server(
    fallback,
    { maxBodyBytes: 65_536, match, newHeadState: () => ({}), ...options },
    serve,
  )
  const sockets = new Set<Socket>()
  const take = (socket: Socket) => {
    sockets.add(socket)
    http1.emit('connection', socket)
  }
  const halves = { noDelay: true, allowHalfOpen: true }
  const listener = tls ? createTlsServer({ ...tls, ...halves }, take) : createTcpServer(halves, take)
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  http1.emit('listening')
  /** Accepts no further connections, and closes those without a call. */
  const close = async () => {
    const closed = once(listener, 'close')
    listener.close()
    http1.closeIdleConnections()
    const idle = setInterval(() => http1.closeIdleConnections(), 10)
    await closed
    clearInterval(idle)
    http1.close()
  }
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    listener.close()
    http1.close()
  })
  return { close, port: (listener.address() as AddressInfo).port }
}

function call(path: string, body = '', ...lines: readonly string[]): string {
  const head = [`POST ${path} HTTP/1.1`, 'host: x', `content-length: ${Buffer.byteLength(body)}`, ...lines]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

async function openTo(to: number): Promise<{ readonly socket: Socket; text(): string }> {
  const socket = connect(to, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (bytes: Buffer) => (text += bytes.toString())).on('error', () => undefined)
  await once(socket, 'connect')
  return { socket, text: () => text }
}

describe('ordinary calls', () => {
  it('receive responses on a persistent connection', async () => {
    const { port: to } = await port()
    const { text } = await sendRaw(to, call('/token', 'é') + call('/token/evm', '2'), /evm 2$/)
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\ndate: .* GMT\r\nconnection: keep-alive\r\n/)
    expect(text).toContain('content-length: 15\r\n\r\nhttp1 /token éHTTP/1.1 200 OK')
  })

  it('are distinguished by their headers, also at equal length', async () => {
    const { port: to } = await port()
    const { socket, text } = await openTo(to)
    const calls = [
      ['/one', 'ab'],
      ['/one', 'cd'],
      ['/two', 'ef'],
      ['/one', 'ghi'],
      ['/one', 'jk'],
    ] as const
    for (const [path, body] of calls) {
      socket.write(call(path, body))
      await vi.waitFor(() => expect(text()).toMatch(new RegExp(`http1 ${path} ${body}$`)), longTimeout)
    }
    expect(text().match(/http1 \S+ \w+?(?=HTTP|$)/g)).toEqual(
      calls.map(([path, body]) => `http1 ${path} ${body}`),
    )
  })

  it('receive each response field once, also after an overwrite', async () => {
    const { port: to } = await port((_, response) => {
      response.presetHeaders({ names: ['x-one', 'x-two'], lines: 'x-one: 1\r\nx-two: 2\r\n' })
      response.setHeader('x-one', 'other')
      response.setHeader('x-three', '3')
      response.setHeader('x-three', 'other')
      response.end('')
    })
    const { text } = await sendRaw(to, call('/token'), /\r\n\r\n/)
    expect(text.match(/^x-.*$/gm)?.toSorted()).toEqual(['x-one: other', 'x-three: other', 'x-two: 2'])
  })

  it('receive one content-length, which matches the content', async () => {
    const { port: to } = await port((_, response) => {
      response.setHeader('content-length', 99)
      response.end('four')
    })
    const { text } = await sendRaw(to, call('/token'), /four$/)
    expect(text.match(/^content-length.*$/gim)).toEqual(['content-length: 4'])
  })

  it('can arrive byte by byte, and bodies in chunks', async () => {
    const { port: to } = await port()
    const { socket, text } = await openTo(to)
    socket.setNoDelay(true)
    for (const byte of Buffer.from(call('/token', 'body'))) {
      socket.write(Buffer.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await vi.waitFor(() => expect(text()).toContain('http1 /token body'), longTimeout)
  })

  it('fall back to node:http while too many bodies are incomplete', async () => {
    let held = 0
    const reserve = () => {
      let ofConnection = 0
      const resize = (bytes: number) => {
        if (held + bytes - ofConnection > 100_000) return false
        held += bytes - ofConnection
        ofConnection = bytes
        return true
      }
      return { resize, release: () => void resize(0) }
    }
    const { port: to } = await port(echo, { reserve })
    const half = call('/token', 'x'.repeat(60_000)).slice(0, -1)
    const first = await openTo(to)
    const second = await openTo(to)
    const third = await openTo(to)
    /** Sends half of a call, and another call that gets a response meanwhile. */
    const send = async ({ socket }: { readonly socket: Socket }) => {
      await new Promise((resolve) => socket.write(half, resolve))
      await sendRaw(to, call('/c'), /http1 \/c/)
    }
    await send(first)
    await send(second)
    for (const { socket } of [first, second]) socket.write(`y${call('/b', '2')}`)
    await vi.waitFor(
      () => expect(second.text()).toMatch(/^HTTP[^]*node POST \/token x{59999}yHTTP[^]*node POST \/b 2$/),
      longTimeout,
    )
    await vi.waitFor(
      () => expect(first.text()).toMatch(/^HTTP[^]*http1 \/token x{59999}yHTTP[^]*http1 \/b 2$/),
      longTimeout,
    )
    // Their memory has been released.
    await send(third)
    third.socket.write('y')
    await vi.waitFor(() => expect(third.text()).toMatch(/http1 \/token x{59999}y$/), longTimeout)
  })

  it('receive responses in request order, regardless of the duration of the first', async () => {
    const { port: to } = await port((request, response) => {
      setTimeout(() => echo(request, response), request.url === '/slow' ? 100 : 0)
    })
    const { text } = await sendRaw(to, call('/slow') + call('/b') + call('/c'), /http1 \/c/)
    expect(text.match(/http1 \S+/g)).toEqual(['http1 /slow', 'http1 /b', 'http1 /c'])
  })

  it('apply backpressure behind a pending response', async () => {
    const pending: Http1ServerResponse[] = []
    const { port: to } = await port((_, response) => {
      if (pending.length === 0) pending.push(response)
      else response.end('later')
    })
    const { socket, text } = await openTo(to)
    let isWritten = false
    socket.write(call('/token', 'x'.repeat(60_000)).repeat(300), () => (isWritten = true))
    await vi.waitFor(() => expect(pending).toHaveLength(1), longTimeout)
    // The same amount is read from another connection meanwhile.
    const other = await openTo(to)
    other.socket.write(call('/token', 'x'.repeat(60_000)).repeat(300))
    await vi.waitFor(() => expect(other.text().match(/later/g)).toHaveLength(300), longTimeout)
    expect(isWritten).toBe(false)
    pending[0]?.end('first')
    await vi.waitFor(() => expect(text().match(/first|later/g)).toHaveLength(300), longTimeout)
  })
})

describe('preflights', () => {
  const preflight = [
    'OPTIONS /token HTTP/1.1',
    'host: x',
    'origin: https://app.example',
    'access-control-request-method: POST',
    'access-control-request-headers: content-type, x-request-id',
    '\r\n',
  ].join('\r\n')

  it('do not detach the connection from the server', async () => {
    const { port: to } = await port(({ method, headers, bufferedBody }, response) => {
      const requestedHeaders = headers['access-control-request-headers'] ?? ''
      response.end(`http1 ${method} ${requestedHeaders} ${bufferedBody}`)
    })
    const { text } = await sendRaw(
      to,
      preflight + call('/token', 'body') + preflight,
      /POST {2}body[^]*OPTIONS/,
    )
    expect(text.match(/http1 .*?(?=HTTP|$)/g)).toEqual([
      'http1 OPTIONS content-type, x-request-id ',
      'http1 POST  body',
      'http1 OPTIONS content-type, x-request-id ',
    ])
  })

  it('receive no content-length without content', async () => {
    const { port: to } = await port((_, response) => {
      response.statusCode = 204
      response.end()
    })
    const { text } = await sendRaw(to, preflight, /\r\n\r\n/)
    expect(text).toMatch(/^HTTP\/1\.1 204 No Content\r\n/)
    expect(text).not.toContain('content-length')
  })

  it.each([
    ['with a body', preflight.replace('\r\n\r\n', '\r\ncontent-length: 1\r\n\r\nx')],
    ['about no resource', preflight.replace('/token', '*')],
  ])('go to node:http: %s', async (_, request) => {
    const { port: to } = await port()
    expect((await sendRaw(to, request, /node|HTTP\/1\.1 400/)).text).toMatch(/node OPTIONS/)
  })
})

describe('other requests', () => {
  it.each([
    ['of another method', 'GET /token HTTP/1.1\r\nhost: x\r\n\r\n', 'node GET /token '],
    [
      'in chunks',
      'POST /a HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n',
      'node POST /a b',
    ],
    ['with a header that is not known', call('/a', 'b', 'x-other: y'), 'node POST /a b'],
    ['with a header that comes twice', call('/a', 'b', 'accept: y', 'accept: z'), 'node POST /a b'],
    ['to another protocol', call('/v1/organization', 'b'), 'node POST /v1/organization b'],
    ['with a long body', call('/a', 'b'.repeat(70_000)), 'node POST /a bbb'],
    ['with a long head', call('/a', 'b', `accept: ${'y'.repeat(9_000)}`), 'node POST /a b'],
  ])('go to node:http: %s', async (_, request, response) => {
    const { port: to } = await port()
    expect((await sendRaw(to, request, /node \w+ \S+ /)).text).toContain(response)
    // Earlier requests are not lost, and later requests go the same way.
    const { text } = await sendRaw(to, call('/first', '1') + request + call('/last', '3'), /\/last 3/)
    expect(text).toMatch(/http1 \/first 1HTTP[^]*node \w+ \S+ [^]*node POST \/last 3$/)
    expect(text).toContain(response)
  })

  it('are rejected when they are not valid HTTP', async () => {
    const { port: to } = await port()
    expect((await sendRaw(to, `${call('/a')}POST /b HTTP/1.1\r\nhost : x\r\n\r\n`)).text).toMatch(
      /http1 \/a HTTP\/1\.1 400 Bad Request/,
    )
  })
})

describe('a response', () => {
  it.each([undefined, 3_000_000])('can be streamed, with the length %s', async (length) => {
    const pieces = Array.from({ length: 30 }, (_, at) => Buffer.alloc(100_000, at + 65))
    const { port: to } = await port((_, response) => {
      if (length !== undefined) response.setHeader('content-length', length)
      void pipeline(Readable.from(pieces, { objectMode: false }), response.contentStream())
    })
    for (let round = 0; round < 2; round++) {
      const response = await fetch(`http://127.0.0.1:${to}/token`, {
        method: 'POST',
        body: 'x',
        headers: { host: 'x' },
      })
      expect(response.headers.get('content-length')).toBe(length === undefined ? null : String(length))
      expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.concat(pieces))).toBe(true)
    }
  })

  it('can continue for as long as the client reads', async () => {
    const { port: to } = await port(
      (_, response) => {
        async function* slowly() {
          for (let bit = 0; bit < 10; bit++) {
            await new Promise((resolve) => setTimeout(resolve, 100))
            yield Buffer.from('bit ')
          }
        }
        void pipeline(slowly, response.contentStream()).catch(() => undefined)
      },
      { timeouts: { response: 500 } },
    )
    const response = await fetch(`http://127.0.0.1:${to}/token`, { method: 'POST', body: 'x' })
    expect(await response.text()).toBe('bit '.repeat(10))
  })

  it('waits for a client that does not read', async () => {
    let count = 0
    const { port: to } = await port((request, response) => {
      if (request.url !== '/token') return echo(request, response)
      const endless = new Readable({
        read() {
          count += 100_000
          this.push(Buffer.alloc(100_000))
        },
      })
      pipeline(endless, response.contentStream()).catch(() => undefined)
    })
    const { socket } = await openTo(to)
    socket.pause()
    socket.write(call('/token'))
    await vi.waitFor(() => expect(count).toBeGreaterThan(0), longTimeout)
    // No more content is produced while other requests get responses.
    await vi.waitFor(async () => {
      const before = count
      for (let round = 0; round < 20; round++) await sendRaw(to, call('/b'), /http1 \/b/)
      expect(count).toBe(before)
    }, longTimeout)
    expect(count).toBeLessThan(50_000_000)
  })

  it('ends the connection when its stream fails', async () => {
    const { port: to } = await port((_, response) => {
      const stream = response.contentStream()
      stream.on('error', () => undefined)
      stream.write(Buffer.from('half'))
      setImmediate(() => stream.destroy(new Error('broken')))
    })
    const { text } = await sendRaw(to, call('/token'))
    expect(text).toMatch(/half\r\n$/)
  })

  it('rejects header values that would inject a second header', async () => {
    let thrown: unknown
    const { port: to } = await port((_, response) => {
      try {
        response.setHeader('x-a', 'b\r\nx-c: d')
      } catch (error) {
        thrown = error
      }
      response.setHeader('x-a', 'b')
      response.statusCode = 204
      response.end()
    })
    const { text } = await sendRaw(to, call('/token'), /\r\n\r\n/)
    expect(text).toMatch(/^HTTP\/1\.1 204 No Content\r\nx-a: b\r\n/)
    expect(text).not.toContain('content-length')
    expect(thrown).toBeInstanceOf(TypeError)
  })

  it('is aborted when its client disconnects', async () => {
    const responses: Http1ServerResponse[] = []
    const { port: to } = await port((_, response) => responses.push(response))
    const { socket } = await openTo(to)
    socket.write(call('/token'))
    await vi.waitFor(() => expect(responses).toHaveLength(1), longTimeout)
    const [response] = responses as [Http1ServerResponse]
    const closed = new Promise<void>((resolve) => response.once('close', resolve))
    socket.destroy()
    await closed
    expect([response.destroyed, response.writableFinished]).toEqual([true, false])
    response.end('discarded')
  })
})

describe('connections', () => {
  it.each([
    ['head', 'POST /token HTTP/1.1\r\nhost:', 'HTTP/1.1 408'],
    ['idle', call('/token'), 'http1 /token '],
  ])('end when they take too long: %s', async (phase, sent, response) => {
    const { port: to } = await port(echo, { timeouts: { [phase]: 100 } })
    const { text, end } = await sendRaw(to, sent)
    expect(text).toContain(response)
    expect(end).toBe('closed')
  })

  it('end with the given response when a head takes too long', async () => {
    const timeoutResponse = () => 'HTTP/1.1 408 Late\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}'
    const { port: to } = await port(echo, { timeouts: { head: 100 }, timeoutResponse })
    const sent = 'POST /token HTTP/1.1\r\nhost:'
    expect(await sendRaw(to, sent)).toEqual({ text: timeoutResponse(), end: 'closed' })
  })

  it.each([0, 3])('fall back to node:http when a body stops after %d bytes', async (sentBytes) => {
    let fallbacks = 0
    const { port: to } = await port(echo, { timeouts: { body: 100 } }, () => fallbacks++)
    const { socket, text } = await openTo(to)
    socket.write(call('/token', 'body').slice(0, sentBytes - 4))
    await vi.waitFor(() => expect(fallbacks).toBe(1), longTimeout)
    socket.write('body'.slice(sentBytes))
    await vi.waitFor(() => expect(text()).toContain('node POST /token body'), longTimeout)
  })

  it('end after pending responses when the port closes, and immediately when idle', async () => {
    const responses: Http1ServerResponse[] = []
    const { close, port: to } = await port((_, response) => responses.push(response))
    const [idle, busy] = [await openTo(to), await openTo(to)]
    idle.socket.write(call('/token'))
    busy.socket.write(call('/token'))
    await vi.waitFor(() => expect(responses).toHaveLength(2), longTimeout)
    responses[0]?.end('done')
    const closed = close()
    responses[1]?.end('last')
    await closed
    await vi.waitFor(() => expect(busy.text()).toMatch(/last$/), longTimeout)
    expect(busy.text()).toContain('connection: close')
  })

  it('may be encrypted', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'x' }], { keyType: 'ec' })
    const long = Buffer.alloc(2_000_000, 'x')
    const { port: to } = await port(
      (request, response) => (request.url === '/long' ? response.end(long) : echo(request, response)),
      { tls: { key, cert } },
    )
    const socket = connectTls(to, '127.0.0.1', { rejectUnauthorized: false })
    onTestFinished(() => void socket.destroy())
    let text = ''
    socket.on('data', (bytes: Buffer) => (text += bytes.toString()))
    const get = 'GET /c HTTP/1.1\r\nhost: x\r\n\r\n'
    socket.write(call('/a', '1') + call('/long') + call('/b', '2') + get)
    await vi.waitFor(() => expect(text).toMatch(/node GET \/c $/), longTimeout)
    expect(text.length).toBeGreaterThan(2_000_000)
    expect(text.match(/http1 \S+ \d/g)).toEqual(['http1 /a 1', 'http1 /b 2'])
  })

  it('end with their clients’ side', async () => {
    const { port: to } = await port()
    const { socket } = await openTo(to)
    socket.end()
    await once(socket, 'close')
  })
})
