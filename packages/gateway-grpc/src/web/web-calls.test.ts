import { connect } from 'node:http2'
import { createFrameReader, frameMessage, parseTrailers } from '@fairlead/grpc-transport'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sendRaw } from '@fairlead/http1/testing/raw-http'
import { waitFor } from '@fairlead/vitest/wait-for'
import { grpcInFrontOf, xToken } from '../testing/grpc-fixture.ts'
import { grpcNode } from '../testing/grpc-node.ts'

const binary = 'application/grpc-web+proto'
const text = 'application/grpc-web-text+proto'

function bodyOf(message: string, type: string): string | Uint8Array<ArrayBuffer> {
  const framed = Buffer.from(frameMessage(Buffer.from(message)))
  if (!type.includes('text')) return new Uint8Array(framed)
  // The prefix and the message are padded separately, as some clients do.
  return [framed.subarray(0, 5), framed.subarray(5)].map((piece) => piece.toString('base64')).join('')
}

function call(url: string, path: string, message: string, type: string, headers: object = {}) {
  return fetch(`${url}${path}`, {
    method: 'POST',
    body: bodyOf(message, type),
    headers: { 'content-type': type, 'x-grpc-web': '1', 'x-token': xToken, ...headers },
  })
}

/** Messages and trailers of a response. Base64 chunks are decoded one by one. */
function read(body: Uint8Array, type: string) {
  let trailers: ReturnType<typeof parseTrailers> = {}
  const frames = createFrameReader({
    maxMessageBytes: 1 << 20,
    onTrailers: (block) => (trailers = parseTrailers(block)),
  })
  const chunks = type.includes('text')
    ? (
        Buffer.from(body)
          .toString()
          .match(/[^=]+=*/g) ?? []
      ).map((chunk) => Buffer.from(chunk, 'base64'))
    : [body]
  for (const chunk of chunks) frames.push(chunk)
  const messages: string[] = []
  for (let message = frames.read(); message; message = frames.read())
    messages.push(Buffer.from(message).toString())
  return { messages, trailers }
}

const readResponse = async (response: Response, type: string) =>
  read(new Uint8Array(await response.arrayBuffer()), type)

describe.each([binary, text])('gRPC-web as %s', (type) => {
  it('returns a unary response with metadata and trailers', async () => {
    const node = await grpcNode()
    const gateway = await grpcInFrontOf(node.url)
    const response = await call(gateway.url, '/test.Test/One', 'a', type, {
      'x-cosmos-block-height': '5',
      'grpc-timeout': '60S',
      origin: 'https://app.example',
      cookie: 'c4n4ry',
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('x-sui-epoch')).toBe('7')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toContain('grpc-status')
    const { messages, trailers } = await readResponse(response, type)
    expect(messages).toEqual(['one a'])
    expect(trailers).toMatchObject({ 'grpc-status': ['0'], 'x-last': ['l'], 'raw-bin': ['AQL/'] })
    const [{ metadata, deadline } = { metadata: {}, deadline: 0 }] = node.calls
    expect(metadata).toMatchObject({ 'x-cosmos-block-height': '5' })
    expect(Object.keys(metadata)).toEqual(['x-cosmos-block-height'])
    expect(deadline).toBeGreaterThan(performance.now())
  })

  it('streams messages immediately and cancels the call when the client disconnects', async () => {
    let next = () => undefined as void
    const node = await grpcNode({
      split: async function* (_, { signal }) {
        for (let count = 0; !signal.aborted; count++) {
          yield `m${count}`
          await new Promise<void>((resolve) => {
            next = resolve
            signal.addEventListener('abort', () => resolve())
          })
        }
      },
    })
    const gateway = await grpcInFrontOf(node.url)
    const response = await call(gateway.url, '/test.Test/Split', 'a', type)
    const reader = response.body?.getReader()
    for (const expected of ['m0', 'm1', 'm2']) {
      const { value = new Uint8Array() } = (await reader?.read()) ?? {}
      expect(read(value, type).messages).toEqual([expected])
      next()
    }
    expect(node.openCalls).toBe(1)
    await reader?.cancel()
    await waitFor(() => expect(node.openCalls).toBe(0))
    await waitFor(async () => expect(await gateway.sample('fairlead_grpc_open_calls')).toBe('0'))
  })

  it('sends the status of the upstream or of the gateway in the last frame', async () => {
    const gateway = await grpcInFrontOf((await grpcNode()).url, { maxBodyBytes: 1_000 })
    const ended = async (path: string, message: string, headers: object = {}) => {
      const response = await call(gateway.url, path, message, type, headers)
      expect(response.status).toBe(200)
      const { trailers } = await readResponse(response, type)
      // A trailers-only response of an upstream becomes trailers, without the fields that belong to headers.
      expect(Object.keys(trailers)).not.toContain('content-type')
      return trailers['grpc-status']?.[0]
    }
    expect(await ended('/test.Test/One', 'fail x')).toBe('5')
    expect(await ended('/test.Test/None', 'a')).toBe('12')
    expect(await ended('/nothing', 'a')).toBe('12')
    expect(await ended('/test.Test/One', 'a', { 'x-token': 'c4n4ry-wrong' })).toBe('16')
    expect(await ended('/test.Test/One', 'x'.repeat(2_000))).toBe('8')
    expect(await ended('/test.Test/One', 'a')).toBe('0')
    expect(gateway.log()).not.toContain('c4n4ry')
  })

  it('ends a stream when its credential is revoked', async () => {
    const gateway = await grpcInFrontOf((await grpcNode()).url)
    const controller = new AbortController()
    const response = await fetch(`${gateway.url}/test.Test/Echo`, {
      method: 'POST',
      body: new ReadableStream({ start: (body) => body.enqueue(Buffer.from(bodyOf('a', type))) }),
      headers: { 'content-type': type, 'x-token': xToken },
      duplex: 'half',
      signal: controller.signal,
    } as RequestInit)
    gateway.grant('revoked')
    const { messages, trailers } = await readResponse(response, type)
    expect(messages).toEqual(['echo a'])
    expect(trailers).toMatchObject({
      'grpc-status': ['16'],
      'grpc-message': ['The credential is no longer valid.'],
    })
  })

  it('also works over HTTP/2', async () => {
    const gateway = await grpcInFrontOf((await grpcNode()).url)
    const session = connect(gateway.url)
    onTestFinished(() => session.destroy())
    const stream = session.request({
      ':method': 'POST',
      ':path': '/test.Test/One',
      'content-type': type,
      'x-token': xToken,
    })
    stream.end(bodyOf('a', type))
    const head = await new Promise<Readonly<Record<string, unknown>>>((resolve) =>
      stream.once('response', resolve),
    )
    expect(head).toMatchObject({ ':status': 200, 'content-type': type, 'access-control-allow-origin': '*' })
    const { messages, trailers } = read(Buffer.concat(await stream.toArray()), type)
    expect(messages).toEqual(['one a'])
    expect(trailers).toMatchObject({ 'grpc-status': ['0'] })
  })
})

it('browsers may call from the allowed origin', async () => {
  const gateway = await grpcInFrontOf((await grpcNode()).url, { corsOrigin: 'https://app.example' })
  const preflight = (headers: Record<string, string>) =>
    fetch(`${gateway.url}/test.Test/One`, { method: 'OPTIONS', headers })
  const response = await preflight({
    'access-control-request-headers': 'content-type,x-grpc-web,x-token,x-cosmos-block-height',
    'access-control-request-method': 'POST',
    origin: 'https://app.example',
  })
  expect(response.status).toBe(204)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'access-control-allow-origin': 'https://app.example',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'content-type,x-grpc-web,x-token,x-cosmos-block-height',
    vary: 'origin',
  })
  expect(
    (await preflight({ 'access-control-request-headers': 'x-token, (a)' })).headers.get(
      'access-control-allow-headers',
    ),
  ).toContain('x-grpc-web')
  // The other protocol responds itself.
  expect((await preflight({ 'access-control-request-headers': 'content-type' })).status).toBe(404)
  expect((await fetch(`${gateway.url}/test.Test/One`, { method: 'POST', body: '{}' })).status).toBe(404)
})

it('a client that disconnects within its body leaves no open call', async () => {
  const node = await grpcNode()
  const gateway = await grpcInFrontOf(node.url)
  const head = `POST /test.Test/Echo HTTP/1.1\r\nhost: x\r\nx-token: ${xToken}\r\ncontent-type: ${binary}\r\n`
  const { text: response } = await sendRaw(
    gateway.port,
    `${head}content-length: 100\r\n\r\n\0\0\0\0\u0001a`,
    /echo a/,
  )
  expect(response).toContain('200 OK')
  await waitFor(() => expect(node.openCalls).toBe(0))
})
