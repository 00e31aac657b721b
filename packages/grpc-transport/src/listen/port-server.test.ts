import { once } from 'node:events'
import { createServer } from 'node:http'
import { constants } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { frame, frameType, preface } from '../server/testing/frames.ts'
import { responseOf, connection, openCall } from '../server/testing/http2-client.ts'
import { closeAll, closeLater, grpcJsClient } from '../server/testing/text-service.ts'
import { exchange, listenToBoth } from './testing/both-servers.ts'

afterEach(closeAll)

describe('a port without TLS', () => {
  it('serves HTTP/1.1 and gRPC, with the address of the client', async () => {
    const both = await listenToBoth()
    const body = 'x'.repeat(300_000)
    const response = await fetch(`${both.url}/path?query`, { method: 'POST', body })
    expect(JSON.parse(response.headers.get('x-seen') ?? '')).toEqual([
      'POST',
      '/path?query',
      '300000',
      '127.0.0.1',
    ])
    expect(await response.text()).toBe(body)
    const client = grpcJsClient(both)
    expect(await client.one('hello')).toBe('hello from 127.0.0.1')
    expect(await (await fetch(both.url)).text()).toBe('')
    expect(await client.one('again')).toBe('again from 127.0.0.1')
  })

  it('loses no data for any chunks of the first bytes', async () => {
    const both = await listenToBoth()
    const post = 'POST /p HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\nconnection: close\r\n\r\nbody'
    for (const writes of [[post], post.split(''), [post.slice(0, 1), post.slice(1)]]) {
      expect(await exchange(both, writes)).toMatch(
        /^HTTP\/1\.1 200 OK\r\nx-seen: \["POST","\/p","4",.*\r\n\r\n.*b.*o.*d.*y/s,
      )
    }
    // Two requests in one chunk.
    const get = 'GET /g HTTP/1.1\r\nhost: x\r\n\r\n'
    const responses = await exchange(both, [get + post])
    expect(responses.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
    const hello = Buffer.concat([
      preface,
      frame(frameType.settings, 0, 0),
      frame(frameType.ping, 0, 0, Buffer.from('12345678')),
    ])
    for (const writes of [
      [hello],
      Array.from(hello, (byte) => Buffer.of(byte)),
      [hello.subarray(0, 24), hello.subarray(24)],
    ]) {
      expect(await exchange(both, writes, '12345678')).toContain('12345678')
    }
  })

  it('treats a partial HTTP/2 preface as HTTP/1.1', async () => {
    const both = await listenToBoth()
    expect(await exchange(both, ['PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n'])).toMatch(/^HTTP\/1\.1 400 /)
    expect(await exchange(both, ['P', 'R', 'OPFIND / HTTP/1.1\r\n\r\n'])).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('responds to a client that half-closes after the request', async () => {
    const http1 = Object.assign(createServer(), { httpAllowHalfOpen: true })
    const both = await listenToBoth({ http1 })
    const clientEnded = new Promise((resolve) => {
      http1.once('connection', (connected: Socket) => connected.once('end', resolve))
    })
    const socket = connect({ port: both.port.address.port, host: '127.0.0.1', allowHalfOpen: true })
    closeLater(() => void socket.destroy())
    socket.end('GET /slow HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    let text = ''
    socket.on('data', (bytes) => (text += bytes.toString()))
    await clientEnded
    expect(both.slowRequests()).toBe(1)
    both.finishSlow()
    await once(socket, 'end')
    expect(text).toMatch(/slow$/)
  })

  it('upgrades connections, and passes on data that arrived with the upgrade', async () => {
    const both = await listenToBoth()
    const upgrade = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\nearly'
    const text = await exchange(both, [upgrade, ' later', ' last'], 'last')
    expect(text).toMatch(/^HTTP\/1\.1 101 .*\r\n\r\nearly later last$/s)
  })

  it('closes clients that send nothing or an incomplete preface', async () => {
    const both = await listenToBoth({ handshakeTimeoutMs: 50 })
    expect(await exchange(both, [])).toBe('')
    expect(await exchange(both, ['PRI * HT'])).toBe('')
    expect(await exchange(both, [''])).toBe('')
    const aborted = connect({ port: both.port.address.port, host: '127.0.0.1' })
    aborted.end()
    await once(aborted.resume(), 'close')
    await expect.poll(() => connectionsOf(both.port.server)).toBe(0)
  })

  it('preserves the header timeout of node:http', async () => {
    const http1 = createServer({ headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 })
    const both = await listenToBoth({ http1 })
    expect(await exchange(both, ['GET / HTTP/1.1\r\nhost:'])).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('serves HTTP/2 when it is admitted, and loses no data until then', async () => {
    const waiting: (() => void)[] = []
    const both = await listenToBoth({ admitHttp2: (_, serve) => waiting.push(serve) })
    const client = grpcJsClient(both)
    const response = client.one('hello')
    expect(await (await fetch(both.url)).text()).toBe('')
    await vi.waitFor(() => expect(waiting).toHaveLength(1))
    waiting[0]?.()
    expect(await response).toBe('hello from 127.0.0.1')
  })

  it('closes connections beyond the limit', async () => {
    const both = await listenToBoth({ maxConnections: 1 })
    expect(await grpcJsClient(both).one('hello')).toContain('hello')
    expect(await exchange(both, ['GET / HTTP/1.1\r\n'])).toBe('')
  })
})

function connectionsOf(server: { getConnections(found: (error: unknown, count: number) => void): unknown }) {
  return new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
}

describe('closing', () => {
  it('waits for requests and calls, and closes idle connections immediately', async () => {
    let finish: (response: string) => void = () => undefined
    const both = await listenToBoth({}, { one: () => new Promise<string>((resolve) => (finish = resolve)) })
    const idle = await connection(both.url)
    const resting = exchange(both, ['GET / HTTP/1.1\r\nhost: x\r\n\r\n'])
    const call = grpcJsClient(both).one('')
    await expect.poll(() => both.grpc.openCalls).toBe(1)
    const slow = exchange(both, ['GET /slow HTTP/1.1\r\nhost: x\r\n\r\n'])
    await expect.poll(() => both.slowRequests()).toBe(1)
    const closed = both.port.close(20_000)
    await resting
    await expect.poll(() => idle.destroyed).toBe(true)
    both.finishSlow()
    expect(await slow).toMatch(/slow/)
    await expect(fetch(both.url)).rejects.toThrow()
    finish('done')
    expect(await call).toBe('done')
    await closed
    await both.port.close()
    expect(() => both.port.address).toThrow('the port is not listened on')
  })

  it('does not wait for connections without a known protocol', async () => {
    const both = await listenToBoth(
      { handshakeTimeoutMs: 600_000 },
      { one: () => new Promise<string>(() => undefined) },
    )
    const call = openCall(await connection(both.url), '/test.Text/One')
    call.on('error', () => undefined)
    const silent = [exchange(both, []), exchange(both, ['PRI * HT'])]
    await expect.poll(() => both.grpc.openCalls).toBe(1)
    await expect.poll(() => connectionsOf(both.port.server)).toBe(3)
    void both.port.close(20_000)
    expect(await Promise.all(silent)).toEqual(['', ''])
    expect(both.grpc.openCalls).toBe(1)
  })

  it('closes remaining connections after the grace period', async () => {
    const both = await listenToBoth({}, { one: () => new Promise<string>(() => undefined) })
    const call = openCall(await connection(both.url), '/test.Text/One')
    call.end(Buffer.alloc(5))
    const upgrade = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n'
    const upgraded = exchange(both, [upgrade])
    const silent = exchange(both, [])
    await expect.poll(() => both.grpc.openCalls).toBe(1)
    await expect.poll(() => connectionsOf(both.port.server)).toBe(3)
    await both.port.close(50)
    expect(await upgraded).toMatch(/^HTTP\/1\.1 101 /)
    expect(await silent).toBe('')
    expect((await responseOf(call)).rstCode).not.toBe(constants.NGHTTP2_NO_ERROR)
  })
})
