import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { serve } from '@fairlead/gateway-core/testing/serve'
import { respondWith } from '@fairlead/gateway-core/testing/with-call-id'

const rpc = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
const chunked = `${rpc.length.toString(16)}\r\n${rpc}\r\n0\r\n\r\n`

const upgrades = [
  'connection: upgrade\r\nupgrade: h2c\r\n',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n',
  'connection: upgrade\r\nupgrade: websocket\r\n',
  'connection: keep-alive, Upgrade\r\nupgrade: TLS/1.0\r\nupgrade: foo, websocket\r\n',
]

let node: Awaited<ReturnType<typeof serve>>

beforeAll(async () => {
  node = await serve(respondWith('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
})
afterAll(() => node.stop())

describe.each(['true', 'false'])('with builtinHttpServer=%s', (builtin) => {
  let gateway: GatewayFixture
  beforeAll(async () => {
    gateway = await gatewayFixture({ FAIRLEAD_BUILTIN_HTTP_SERVER: builtin }, node.url)
  }, 60_000)
  afterAll(() => gateway.stop())

  const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nhost: a\r\n${fields}\r\n`
  const post = (fields: string, framing = `content-length: ${rpc.length}`, body = rpc) =>
    `POST /${gateway.first.token} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${framing}\r\n${fields}\r\n${body}`
  const last = () => get('/healthz', 'connection: close\r\n')

  /** Sends parts one after the other, each when the gateway has responded to those before it. */
  async function statusesOf(...parts: readonly string[]): Promise<readonly string[]> {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    let received = ''
    let sent = 0
    const send = () => {
      socket.write(parts[sent] ?? '')
      sent += 1
    }
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1')
      if (sent < parts.length) send()
    })
    send()
    await text(socket)
    return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status)
  }

  const firsts: readonly (readonly [string, string, (fields: string) => string])[] = [
    ['an endpoint of operators', '200', (fields) => get('/healthz', fields)],
    ['a call', '200', (fields) => post(fields)],
    ['a call in chunks', '200', (fields) => post(fields, 'transfer-encoding: chunked', chunked)],
    ['the platform API', '401', (fields) => get('/v2/projects/', fields)],
    ['the console', '200', (fields) => get('/console/', fields)],
    ['an unknown path', '404', (fields) => get('/a/b/c', fields)],
  ]

  it.each(firsts)('responds to the requests behind an ignored upgrade: %s', async (_, status, first) => {
    for (const upgrade of upgrades) {
      for (const second of [get('/healthz'), post('')]) {
        const all = [first(upgrade), second, last()]
        // Together, one after the other, and cut in the middle of the second one.
        expect(await statusesOf(all.join('')), upgrade).toEqual([status, '200', '200'])
        expect(await statusesOf(...all), upgrade).toEqual([status, '200', '200'])
        const cut = second.slice(0, 10)
        expect(await statusesOf(first(upgrade) + cut, second.slice(10) + last())).toEqual([
          status,
          '200',
          '200',
        ])
      }
    }
  })

  it.each(firsts)('responds to an ignored upgrade behind another request: %s', async (_, status, first) => {
    for (const upgrade of upgrades) {
      expect(await statusesOf(get('/healthz'), first(upgrade) + last())).toEqual(['200', status, '200'])
    }
  })

  it('closes the connection after an ignored upgrade behind a pending one, or after a second one', async () => {
    for (const upgrade of upgrades) {
      const request = get('/healthz', upgrade)
      expect(await statusesOf(get('/v2/projects/') + request + last())).toEqual(['401', '200'])
      expect(await statusesOf(request + request + last())).toEqual(['200', '200'])
      expect(await statusesOf(request, request + last())).toEqual(['200', '200'])
    }
  })

  it('opens a WebSocket behind an ignored upgrade', async () => {
    const handshake =
      'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
    const close = '\x88\x80\0\0\0\0'
    expect(
      await statusesOf(get('/healthz', upgrades[0]), get(`/ws/${gateway.first.token}`, handshake), close),
    ).toEqual(['200', '101'])
  })
})
