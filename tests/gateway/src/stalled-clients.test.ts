import { once } from 'node:events'
import { connect as connectHttp2, constants, type ClientHttp2Stream } from 'node:http2'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { serve } from '@fairlead/gateway-core/testing/serve'

vi.setConfig({ testTimeout: 60_000 })

const chunk = Buffer.alloc(65_536, 'x')
let node: Awaited<ReturnType<typeof serve>>
let gateway: GatewayFixture
let openResponses = 0

beforeAll(async () => {
  node = await serve((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json')
    // An endless response, sent at the speed of its reader.
    const write = () => {
      while (response.write(chunk));
    }
    openResponses += 1
    response.on('drain', write).on('close', () => (openResponses -= 1))
    write()
  })
  gateway = await gatewayFixture({ FAIRLEAD_STALL_MS: '1000' }, node.url, { beacon: node.url })
}, 60_000)
afterAll(async () => {
  await gateway.stop()
  await node.stop()
})

const beaconPath = () => `/beacon/${gateway.first.token}/eth/v1/beacon/genesis`

function http2(settings: { readonly initialWindowSize?: number } = {}) {
  const session = connectHttp2(gateway.url, { settings }).on('error', () => undefined)
  onTestFinished(() => session.destroy())
  return session
}

/** Resolves with the code of the reset by the gateway. */
function resetOf(stream: ClientHttp2Stream): Promise<number> {
  return new Promise((resolve) => {
    stream.on('error', () => undefined).once('close', () => resolve(stream.rstCode))
  })
}

describe('a stalled client is disconnected:', () => {
  it.each(['/v1/session/', '/v2/projects/'])('a request body over HTTP/2 that stops, to %s', async (path) => {
    const stream = http2().request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' })
    stream.write('{"email":')
    if (path === '/v1/session/') {
      expect(await resetOf(stream)).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM)
      return
    }
    // If a credential is required, it is checked before the body is read.
    const [headers] = (await once(stream, 'response')) as unknown[]
    expect(headers).toMatchObject({ ':status': 401 })
  })

  it.each(['/docs/', '/console/', '/readyz'])(
    'a response over HTTP/2 that is not read, of %s',
    async (path) => {
      const stream = http2({ initialWindowSize: 0 }).request({ ':path': path })
      expect(await resetOf(stream)).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    },
  )

  it('a streamed response over HTTP/2, with the connection to the upstream', async () => {
    const stream = http2().request({ ':path': beaconPath() })
    await once(stream, 'response')
    expect(openResponses).toBe(1)
    expect(await resetOf(stream)).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    await vi.waitFor(() => expect(openResponses).toBe(0), 20_000)
  })

  it('a streamed response over HTTP/1.1, with the connection to the upstream', async () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    socket.pause().write(`GET ${beaconPath()} HTTP/1.1\r\nhost: x\r\n\r\n`)
    await vi.waitFor(() => expect(openResponses).toBe(1), 20_000)
    await vi.waitFor(() => expect(openResponses).toBe(0), 20_000)
  })
})

it('a public operation accepts at most 16 KiB', async () => {
  const post = (length: number) =>
    fetch(`${gateway.url}/v1/session/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'a@example.com', password: 'x'.repeat(length) }),
    })
  expect((await post(20_000)).status).toBe(413)
  expect((await post(10)).status).toBe(401)
})
