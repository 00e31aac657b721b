import { once } from 'node:events'
import { request } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import * as grpc from '@grpc/grpc-js'
import { generate } from 'selfsigned'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { closeAll, closeLater } from '../server/testing/text-service.ts'
import { type BothServers, exchange, listenToBoth } from './testing/both-servers.ts'

afterEach(closeAll)

interface KeyPair {
  readonly key: string
  readonly cert: string
  readonly fingerprint: string
}

let first: KeyPair
let second: KeyPair

beforeAll(async () => {
  ;[first, second] = [await keyPair(), await keyPair()]
})

async function keyPair(): Promise<KeyPair> {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 })
  return { key: made.private, cert: made.cert, fingerprint: made.fingerprint.toUpperCase() }
}

/** Opens a TLS connection and returns the negotiated parameters. */
async function agree({ port }: BothServers, options: ConnectionOptions = {}) {
  const socket = connectTls({
    port: port.address.port,
    host: '127.0.0.1',
    ca: first.cert,
    rejectUnauthorized: false,
    ...options,
  })
  closeLater(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  socket.resume()
  return { socket, protocol: socket.alpnProtocol, fingerprint: socket.getPeerCertificate().fingerprint }
}

async function requestHello({ port }: BothServers, ca: string): Promise<string> {
  const credentials = grpc.credentials.createSsl(Buffer.from(ca))
  const client = new grpc.Client(`127.0.0.1:${port.address.port}`, credentials, {
    'grpc.ssl_target_name_override': 'localhost',
    'grpc.use_local_subchannel_pool': 1,
  })
  try {
    return await new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        '/test.Text/One',
        (text: string) => Buffer.from(text),
        (bytes) => bytes.toString(),
        'hello',
        (error, response = '') => (error ? reject(error) : resolve(response)),
      )
    })
  } finally {
    client.close()
  }
}

function getHttp1({ port }: BothServers, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request(
      {
        port: port.address.port,
        host: '127.0.0.1',
        servername: 'localhost',
        ca,
        agent: false,
        path: '/path',
        method: 'POST',
      },
      (response) => {
        resolve(`${response.httpVersion} ${String(response.headers['x-seen'])}`)
        response.resume()
      },
    )
      .on('error', reject)
      .end('x')
  })
}

function connectionsOf({ port }: BothServers): Promise<number> {
  return new Promise((resolve) => port.server.getConnections((_, count) => resolve(count)))
}

describe('a port with TLS', () => {
  it('serves HTTP/1.1 and gRPC by ALPN', async () => {
    const both = await listenToBoth({ tls: first })
    expect(await requestHello(both, first.cert)).toBe('hello from 127.0.0.1')
    expect(await getHttp1(both, first.cert)).toBe('1.1 ["POST","/path","1","127.0.0.1"]')
    expect((await agree(both, { ALPNProtocols: ['h2', 'http/1.1'] })).protocol).toBe('h2')
    expect((await agree(both, { ALPNProtocols: ['http/1.1'] })).protocol).toBe('http/1.1')
  })

  it('prefers the configured protocol, and accepts the only one that a client offers', async () => {
    const both = await listenToBoth({ tls: first, prefer: 'http/1.1' })
    expect((await agree(both, { ALPNProtocols: ['h2', 'http/1.1'] })).protocol).toBe('http/1.1')
    expect((await agree(both, { ALPNProtocols: ['h2'] })).protocol).toBe('h2')
    expect(await requestHello(both, first.cert)).toBe('hello from 127.0.0.1')
  })

  it('uses HTTP/1.1 for a client without ALPN, including upgrades', async () => {
    const both = await listenToBoth({ tls: first })
    const { socket, protocol } = await agree(both)
    expect(protocol).toBe(false)
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\nearly')
    let text = ''
    socket.on('data', (bytes: Buffer) => (text += bytes.toString()))
    await expect.poll(() => text).toMatch(/^HTTP\/1\.1 101 .*early$/s)
  })

  it('continues when a client sends other data, disconnects, or offers no supported protocol', async () => {
    const both = await listenToBoth({ tls: first, handshakeTimeoutMs: 1_000 })
    await exchange(both, ['GET / HTTP/1.1\r\nhost: x\r\n\r\n'])
    await exchange(both, [Buffer.from([0x16, 3, 1, 255, 255, 1, 2, 3])])
    await exchange(both, [])
    connectTcp(
      { port: both.port.address.port, host: '127.0.0.1' },
      function (this: { resetAndDestroy(): void }) {
        this.resetAndDestroy()
      },
    )
    await expect(agree(both, { ALPNProtocols: ['spdy/1'] })).rejects.toThrow()
    await expect(agree(both, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).rejects.toThrow()
    expect(await requestHello(both, first.cert)).toBe('hello from 127.0.0.1')
  })

  it('closes a connection whose client renegotiates', async () => {
    const both = await listenToBoth({ tls: first })
    const { socket } = await agree(both, { maxVersion: 'TLSv1.2' })
    socket.renegotiate({}, () => undefined)
    await once(socket, 'close')
    expect(await requestHello(both, first.cert)).toBe('hello from 127.0.0.1')
  })

  it('uses a new certificate for later connections', async () => {
    const both = await listenToBoth({ tls: first })
    const { socket, fingerprint } = await agree(both)
    both.port.setSecureContext({ key: second.key, cert: second.cert })
    expect((await agree(both)).fingerprint).not.toBe(fingerprint)
    expect(await requestHello(both, second.cert)).toBe('hello from 127.0.0.1')
    await expect(requestHello(both, first.cert)).rejects.toMatchObject({ code: grpc.status.UNAVAILABLE })
    expect(socket.destroyed).toBe(false)
    expect(() => both.port.setSecureContext({ key: 'none', cert: second.cert })).toThrow()
    expect(await requestHello(both, second.cert)).toBe('hello from 127.0.0.1')
  })

  it('rejects a certificate on a port without TLS', async () => {
    const { port } = await listenToBoth()
    expect(() => port.setSecureContext(first)).toThrow('a port without TLS has no key')
  })

  it('closes connections in any state', async () => {
    const both = await listenToBoth({ tls: first })
    const open = await Promise.all([
      agree(both, { ALPNProtocols: ['h2'] }),
      agree(both, { ALPNProtocols: ['http/1.1'] }),
    ])
    const handshake = exchange(both, [])
    await expect.poll(() => connectionsOf(both)).toBe(3)
    await both.port.close()
    await handshake
    for (const { socket } of open)
      await expect.poll(() => socket.destroyed || socket.readableEnded).toBe(true)
  })
})
