import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { serve } from '@fairlead/gateway-core/testing/serve'

const long = `0x${'ab'.repeat(200_000)}`
let node: Awaited<ReturnType<typeof serve>>
let gateway: GatewayFixture
let session: ClientHttp2Session

beforeAll(async () => {
  node = await serve((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const { id } = JSON.parse(body) as { id: number }
      response.setHeader('content-type', 'application/json')
      response.end(`{"jsonrpc":"2.0","id":${id},"result":"${long}"}`)
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

async function ask(headers: Record<string, string>, body?: string) {
  const stream = session.request(headers)
  stream.end(body)
  const [answer] = (await once(stream, 'response')) as [Record<string, unknown>]
  return { status: answer[':status'], answer, body: await text(stream) }
}

it('answers over HTTP/2 what it answers over HTTP/1.1', async () => {
  expect(await ask({ ':path': '/healthz' })).toMatchObject({ status: 200, body: 'ok\n' })
  const { token, apiKey } = gateway.first
  const call = '{"jsonrpc":"2.0","id":7,"method":"eth_gasPrice","params":[]}'
  const post = { ':method': 'POST', 'content-type': 'application/json' }
  const answered = await ask({ ...post, ':path': `/${token}` }, call)
  expect(answered.status).toBe(200)
  expect(JSON.parse(answered.body)).toEqual({ jsonrpc: '2.0', id: 7, result: long })
  expect(answered.answer).toMatchObject({
    'content-type': 'application/json',
    'x-request-id': expect.any(String),
  })
  expect((await ask({ ...post, ':path': '/nobody' }, call)).status).toBe(401)
  const batch = await ask({ ...post, ':path': `/${token}` }, `[${call},${call.replace('7', '8')}]`)
  expect((JSON.parse(batch.body) as { id: number }[]).map(({ id }) => id)).toEqual([7, 8])
  const platform = { ':path': '/v1/organization/', authorization: `Bearer ${apiKey}` }
  expect(JSON.parse((await ask(platform)).body)).toMatchObject({ name: 'My organization' })
})

it('refuses a body that is too long, and the connection lives on', async () => {
  const post = { ':method': 'POST', ':path': `/${gateway.first.token}` }
  expect((await ask(post, ' '.repeat(5_300_000))).status).toBe(413)
  expect((await ask({ ':path': '/healthz' })).status).toBe(200)
})

it('goes on when a client takes its request back', async () => {
  for (let round = 0; round < 20; round++) {
    const stream = session.request({ ':method': 'POST', ':path': `/${gateway.first.token}` })
    stream.on('error', () => undefined)
    stream.write('{"jsonrpc"')
    stream.close(8)
    await once(stream, 'close')
  }
  expect((await ask({ ':path': '/healthz' })).status).toBe(200)
})
