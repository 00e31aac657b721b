import { connect, type ClientHttp2Session } from 'node:http2'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { serve, type TestServer } from '@fairlead/gateway-core/testing/serve'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { respondWith } from '@fairlead/gateway-core/testing/with-call-id'

// More requests than a connection may have rejected in a row.
const count = 130

let upstream: TestServer
let gateway: GatewayFixture
beforeAll(async () => {
  upstream = await serve(respondWith('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  gateway = await gatewayFixture(
    { FAIRLEAD_BUILTIN_HTTP_SERVER: 'true', FAIRLEAD_MAX_UNKNOWN_CREDENTIALS: '100000' },
    upstream.url,
  )
})
afterAll(async () => {
  await gateway.stop()
  await upstream.stop()
})

interface Sent {
  readonly path: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

const valid = (): Sent => ({
  path: `/${gateway.first.token}`,
  body: '{"jsonrpc":"2.0","id":1,"method":"eth_unknownMethod","params":[]}',
})
const rejected: Readonly<Record<string, () => Sent>> = {
  'invalid JSON': () => ({ ...valid(), body: '{' }),
  'an unknown credential': () => ({ ...valid(), path: '/unknown' }),
  'invalid JSON of the platform API': () => ({
    path: '/v2/projects/',
    body: '{',
    headers: { authorization: `Bearer ${gateway.first.apiKey}` },
  }),
  'an unknown API key': () => ({ path: '/v2/projects/', body: '{}', headers: { authorization: 'Bearer x' } }),
}

/** Sends requests one after the other over one connection while it is open; returns how many had a response. */
async function overHttp1(
  next: (number: number) => Sent,
  extra: Readonly<Record<string, string>> = {},
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  let first: unknown
  for (let sent = 0; sent < count; sent += 1) {
    const { path, body, headers = {} } = next(sent)
    const outgoing = request(`${gateway.url}${path}`, {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers, ...extra },
    })
    outgoing.end(body)
    const [response] = await once(outgoing, 'response')
    first ??= outgoing.socket
    if (outgoing.socket !== first) return sent
    response.resume()
    await once(response, 'end')
  }
  return count
}

async function overHttp2(next: (number: number) => Sent): Promise<number> {
  const session: ClientHttp2Session = connect(gateway.url).on('error', () => undefined)
  onTestFinished(() => session.destroy())
  for (let sent = 0; sent < count; sent += 1) {
    if (session.closed || session.destroyed) return sent
    const { path, body, headers = {} } = next(sent)
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/json',
      ...headers,
    })
    stream.on('error', () => undefined).end(body)
    await once(stream.resume(), 'close')
  }
  return count
}

const versions: Readonly<Record<string, (next: (number: number) => Sent) => Promise<number>>> = {
  'the built-in HTTP server': (next) => overHttp1(next),
  'node:http': (next) => overHttp1(next, { 'x-other': 'read by node:http' }),
  'HTTP/2': overHttp2,
}

describe.each(Object.keys(versions))('a connection over %s', (version) => {
  const send = versions[version] as (next: (number: number) => Sent) => Promise<number>

  it.each(Object.keys(rejected))(
    'closes after at most 100 requests in a row with %s',
    async (name) => {
      expect(await send(() => (rejected[name] as () => Sent)())).toBeLessThanOrEqual(100)
    },
    60_000,
  )

  it('stays open when a request between them is valid, also if its method fails', async () => {
    const invalid = rejected['invalid JSON'] as () => Sent
    expect(await send((number) => (number % 50 === 0 ? valid() : invalid()))).toBe(count)
    expect(await send(() => valid())).toBe(count)
  }, 60_000)
})
