import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { serve } from '@fairlead/gateway-core/testing/serve'

const longValue = `0x${'ab'.repeat(200_000)}`
let node: Awaited<ReturnType<typeof serve>>
let gateway: GatewayFixture
let session: ClientHttp2Session

beforeAll(async () => {
  node = await serve((request, headers) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const { id } = JSON.parse(body) as { id: number }
      headers.setHeader('content-type', 'application/json')
      headers.end(`{"jsonrpc":"2.0","id":${id},"result":"${longValue}"}`)
    })
  })
  gateway = await gatewayFixture({}, node.url)
  session = connect(gateway.url)
}, 60_000)

afterAll(async () => {
  session.close()
  await gateway.stop()
  await node.stop()
})

async function send(requestHeaders: Record<string, string>, body?: string) {
  const stream = session.request(requestHeaders)
  stream.end(body)
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
  return { status: headers[':status'], headers, body: await text(stream) }
}

it('returns the same over HTTP/2 as over HTTP/1.1', async () => {
  expect(await send({ ':path': '/healthz' })).toMatchObject({ status: 200, body: 'ok\n' })
  const { token, apiKey } = gateway.first
  const call = '{"jsonrpc":"2.0","id":7,"method":"eth_gasPrice","params":[]}'
  const post = { ':method': 'POST', 'content-type': 'application/json' }
  const response = await send({ ...post, ':path': `/${token}` }, call)
  expect(response.status).toBe(200)
  expect(JSON.parse(response.body)).toEqual({ jsonrpc: '2.0', id: 7, result: longValue })
  expect(response.headers).toMatchObject({
    'content-type': 'application/json',
    'x-request-id': expect.any(String),
  })
  expect((await send({ ...post, ':path': '/unknown' }, call)).status).toBe(401)
  const batch = await send({ ...post, ':path': `/${token}` }, `[${call},${call.replace('7', '8')}]`)
  expect((JSON.parse(batch.body) as { id: number }[]).map(({ id }) => id)).toEqual([7, 8])
  const platform = { ':path': '/v1/organization/', authorization: `Bearer ${apiKey}` }
  expect(JSON.parse((await send(platform)).body)).toMatchObject({ name: 'My organization' })
})

it('rejects a body that is too long, and keeps the connection open', async () => {
  const post = { ':method': 'POST', ':path': `/${gateway.first.token}` }
  expect((await send(post, ' '.repeat(5_300_000))).status).toBe(413)
  expect((await send({ ':path': '/healthz' })).status).toBe(200)
})

it('continues when a client cancels its request', async () => {
  for (let round = 0; round < 20; round++) {
    const stream = session.request({ ':method': 'POST', ':path': `/${gateway.first.token}` })
    stream.on('error', () => undefined)
    stream.write('{"jsonrpc"')
    stream.close(8)
    await once(stream, 'close')
  }
  expect((await send({ ':path': '/healthz' })).status).toBe(200)
})
