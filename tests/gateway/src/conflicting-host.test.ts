import { once } from 'node:events'
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { serve } from '@fairlead/gateway-core/testing/serve'
import { respondWith } from '@fairlead/gateway-core/testing/with-call-id'

const rejection = '"code":"invalid","message":"Send exactly one Host header'
const rpc = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
const upgrade =
  'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA=='

let node: Awaited<ReturnType<typeof serve>>
const gateways: GatewayFixture[] = []

beforeAll(async () => {
  node = await serve(respondWith('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
})
afterAll(async () => {
  for (const gateway of gateways) await gateway.stop()
  await node.stop()
})

/** Paths of every consumer of the host: calls, the platform API, the console and the endpoints of operators. */
const paths = ({ first }: GatewayFixture) => [
  `/${first.token}`,
  '/v2/projects/',
  '/console/',
  '/docs/',
  '/healthz',
  '/metrics',
  '/nothing',
]

describe.each(['true', 'false'])('with builtinHttpServer=%s', (builtin) => {
  let gateway: GatewayFixture
  beforeAll(async () => {
    gateway = await gatewayFixture({ FAIRLEAD_BUILTIN_HTTP_SERVER: builtin }, node.url)
    gateways.push(gateway)
  }, 60_000)

  /** Sends a request over HTTP/1.1; returns all that the gateway sends. */
  async function http1(
    method: string,
    target: string,
    fields: readonly string[],
    body = '',
  ): Promise<string> {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    const head = [`${method} ${target} HTTP/1.1`, ...fields, `content-length: ${body.length}`]
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    return text(socket)
  }

  /** Sends a request over HTTP/2. */
  async function http2(headers: Record<string, string | string[]>, body = '') {
    const session = connectHttp2(gateway.url)
    const stream = session.request(headers)
    if (body !== '') stream.end(body)
    const [[response], received] = (await Promise.all([once(stream, 'response'), text(stream)])) as [
      [IncomingHttpHeaders],
      string,
    ]
    session.close()
    return { status: response[':status'], received }
  }

  it('rejects HTTP/1.1 requests that name two hosts', async () => {
    for (const path of [...paths(gateway), `/ws/${gateway.first.token}`]) {
      for (const [target, hosts] of [
        [path, ['host: a', 'Host: a']],
        [path, ['host: a', 'Host: b']],
        [`http://a${path}`, ['host: b']],
        [`http://a${path}`, ['host: a:81']],
      ] as const) {
        for (const extra of path.startsWith('/ws') ? [upgrade] : ['connection: close']) {
          const response = await http1('GET', target, [...hosts, extra])
          expect(response, `${target} ${hosts.join()}`).toMatch(/^HTTP\/1\.1 400 /)
          expect(response).toContain(rejection)
        }
        const call = await http1('POST', target, [...hosts, 'connection: close'], rpc)
        expect(call).toMatch(/^HTTP\/1\.1 400 /)
      }
    }
  })

  it('accepts HTTP/1.1 requests whose target names the same host', async () => {
    const { token } = gateway.first
    for (const target of [`/${token}`, `http://a/${token}`, `http://A:80/${token}`]) {
      const fields = ['host: a', 'connection: close', 'content-type: application/json']
      const response = await http1('POST', target, fields, rpc)
      expect(response).toMatch(/^HTTP\/1\.1 200 [^]*"result":"0x1"/)
    }
  })

  it('rejects HTTP/2 requests whose host differs from :authority, gRPC included', async () => {
    const types = [undefined, 'application/json', 'application/grpc', 'application/grpc-web+proto']
    for (const path of [...paths(gateway), '/geyser.Geyser/GetVersion']) {
      for (const type of types) {
        const headers = {
          ':method': type === undefined ? 'GET' : 'POST',
          ':path': path,
          ':authority': 'a',
          host: 'b',
          ...(type !== undefined && { 'content-type': type }),
        }
        const { status, received } = await http2(headers, type === undefined ? '' : rpc)
        expect([status, received.includes(rejection)], `${path} ${type}`).toEqual([400, true])
      }
    }
  })

  it('accepts HTTP/2 requests with an equal host or only one of both fields', async () => {
    for (const hosts of [
      { ':authority': 'a' },
      { ':authority': 'a', host: 'A' },
      { ':authority': 'a:80', host: 'a' },
    ]) {
      const headers = { ':method': 'POST', ':path': `/${gateway.first.token}`, ...hosts }
      expect((await http2({ ...headers, 'content-type': 'application/json' }, rpc)).status).toBe(200)
    }
  })
})

it('a node with its own domain accepts no credential of another node through the host field', async () => {
  const gateway = await gatewayFixture({ FAIRLEAD_NODE_DOMAIN: 'nodes.example' }, node.url)
  gateways.push(gateway)
  const own = `${gateway.first.nodeId.toLowerCase()}.nodes.example`
  const session = connectHttp2(gateway.url)
  const stream = session.request({
    ':method': 'POST',
    ':path': `/${gateway.first.token}`,
    ':authority': 'other.nodes.example',
    host: own,
    'content-type': 'application/json',
  })
  stream.resume().end(rpc)
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  session.close()
  expect(headers[':status']).toBe(400)
}, 60_000)
