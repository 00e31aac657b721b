import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serve } from '@fairlead/gateway-core/testing/serve'
import { respondWith } from '@fairlead/gateway-core/testing/with-call-id'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'

const rpc = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'

let node: Awaited<ReturnType<typeof serve>>

beforeAll(async () => {
  node = await serve(respondWith('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
})
afterAll(() => node.stop())

describe.each(['true', 'false'])('with builtinHttpServer=%s', (builtin) => {
  let gateway: GatewayFixture
  beforeAll(async () => {
    gateway = await gatewayFixture(
      { FAIRLEAD_BUILTIN_HTTP_SERVER: builtin, FAIRLEAD_KEEP_ALIVE_TIMEOUT_MS: '1000' },
      node.url,
    )
  }, 60_000)
  afterAll(() => gateway.stop())

  it.each([
    [
      'a call',
      () => `POST /${gateway.first.token} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n`,
    ],
    // The built-in server passes it to node:http.
    [
      'a chunked call',
      () => `POST /${gateway.first.token} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n`,
    ],
    ['an endpoint of operators', () => 'GET /healthz HTTP/1.1\r\nhost: a\r\n'],
  ])('a connection is closed when it is idle after %s', async (_, head) => {
    const fields = head()
    const body = fields.includes('chunked')
      ? `\r\n${rpc.length.toString(16)}\r\n${rpc}\r\n0\r\n\r\n`
      : fields.startsWith('POST')
        ? `content-length: ${rpc.length}\r\n\r\n${rpc}`
        : '\r\n'
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    socket.write(`${fields}${body}`)
    socket.once('data', () => socket.write(`${fields}${body}`))
    const received = await text(socket)
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
    expect(received.match(/^keep-alive: .*(?=\r$)/gim)?.map((field) => field.toLowerCase())).toEqual([
      'keep-alive: timeout=1',
      'keep-alive: timeout=1',
    ])
  })
})
