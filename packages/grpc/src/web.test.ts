import { frameMessage, frameTrailers } from '@fairlead/grpc-transport/wire'
import { type RequestHandler, type HttpServer, startHttpServer } from '@fairlead/vitest/http-server'
import { afterEach, describe, expect, it } from 'vitest'
import { HealthCheckResponse, HealthDefinition } from './health.ts'
import { collect, failure } from './testing/outcomes.ts'
import { createGrpcWebClient, FairleadError, Status } from './web.ts'

const token = 's3cr3t-t0k3n'
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function health(handler: RequestHandler, path = '') {
  const server: HttpServer = await startHttpServer(handler)
  const client = createGrpcWebClient(HealthDefinition, {
    url: server.url + path,
    auth: { kind: 'x-token', token },
    retries: 0,
  })
  closing.push(server.close, client.close)
  return { client, server }
}

const binary = { 'content-type': 'application/grpc-web+proto' }
const text = { 'content-type': 'application/grpc-web-text+proto' }
const message = (status: 0 | 1 | 2) => frameMessage(HealthCheckResponse.encode({ status }).finish())
const ok = frameTrailers({ 'grpc-status': '0' })

describe('a request of gRPC-web', () => {
  it('is a framed message with the headers of the protocol, below the path of the URL', async () => {
    const { client, server } = await health(
      (_, response) => void response.writeHead(200, binary).end(Buffer.concat([message(1), ok])),
      '/grpc/',
    )
    expect(await client.check({ service: 'a' })).toEqual({ status: 1 })
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', url: '/grpc/grpc.health.v1.Health/Check' })
    expect(request?.headers).toMatchObject({
      'content-type': 'application/grpc-web+proto',
      accept: 'application/grpc-web+proto',
      'x-grpc-web': '1',
      'x-token': token,
      'grpc-timeout': '30000m',
    })
    expect([...(request?.body ?? [])]).toEqual([0, 0, 0, 0, 3, 10, 1, 97])
  })
})

describe('a response of gRPC-web', () => {
  // Text in parts with their own padding, which do not end at message boundaries.
  const frames = Buffer.concat([message(1), message(2), ok])
  const chunks = [frames.subarray(0, 4), frames.subarray(4, 9), frames.subarray(9)]
  const base64 = Buffer.from(chunks.map((chunk) => chunk.toString('base64')).join(''))

  it.each([
    ['bytes', 1, binary, frames],
    ['bytes', 1000, binary, frames],
    ['text', 1, text, base64],
    ['text', 7, text, base64],
    ['text', 1000, text, base64],
  ])('is read as %s in chunks of %i', async (_, size, headers, wire) => {
    const { client } = await health(async (__, response) => {
      response.writeHead(200, headers)
      for (let start = 0; start < wire.length; start += size) {
        response.write(wire.subarray(start, start + size))
        await new Promise(setImmediate)
      }
      response.end()
    })
    expect(await collect(client.watch({}))).toEqual([{ status: 1 }, { status: 2 }])
  })

  it('ends with its trailers, although the connection stays open', async () => {
    const { client } = await health((_, response) => {
      response.writeHead(200, binary).write(Buffer.concat([message(1), ok]))
    })
    expect(await collect(client.watch({}))).toEqual([{ status: 1 }])
  })

  it.each<[string, number, Record<string, string>, Uint8Array, number, string]>([
    ['only headers', 200, { 'grpc-status': '5', 'grpc-message': 'no%20such' }, Buffer.of(), 5, 'no such'],
    [
      'headers of another HTTP status',
      401,
      { 'grpc-status': '16', 'grpc-message': 'who' },
      Buffer.of(),
      16,
      'who',
    ],
    ['an HTTP status alone', 503, {}, Buffer.from('<html>'), 14, 'the server answered with HTTP status 503'],
    [
      'a redirect',
      302,
      { location: 'http://127.0.0.1:1/' },
      Buffer.of(),
      2,
      'the server answered with HTTP status 302',
    ],
    [
      'another content type',
      200,
      { 'content-type': 'text/html' },
      Buffer.from('<html>'),
      2,
      'the server answered with another content type than that of gRPC-web',
    ],
    ['no trailers', 200, binary, message(1), 2, 'the server sent no single grpc-status'],
    ['half a message', 200, binary, message(1).subarray(0, 6), 13, 'the stream ended inside a message'],
    [
      'trailers that fail',
      200,
      binary,
      frameTrailers({ 'grpc-status': '7', 'grpc-message': token }),
      7,
      '***',
    ],
    ['no base64', 200, text, Buffer.from('????'), 13, 'the server sent text that is no base64'],
  ])('with %s is a status', async (_, httpStatus, headers, body, status, detail) => {
    const { client } = await health((__, response) => void response.writeHead(httpStatus, headers).end(body))
    const error = await failure(collect(client.watch({})))
    expect(error.details).toMatchObject({ status, detail })
  })

  it('that is too large or truncated is a status too', async () => {
    const { client } = await health((_, response) => {
      response.writeHead(200, binary).write(Uint8Array.of(0, 200, 0, 0, 0))
    })
    expect((await failure(collect(client.watch({})))).details).toMatchObject({
      status: Status.RESOURCE_EXHAUSTED,
    })
    let abortResponse = () => {}
    const broken = await health((_, response) => {
      response.writeHead(200, { ...binary, 'content-length': '100' }).write(message(1))
      abortResponse = () => void response.destroy()
    })
    const received: unknown[] = []
    const error = await failure(
      (async () => {
        for await (const response of broken.client.watch({})) {
          received.push(response)
          abortResponse()
        }
      })(),
    )
    expect(received).toEqual([{ status: 1 }])
    expect(error.details).toMatchObject({ status: Status.UNAVAILABLE })
  })
})

describe('the options', () => {
  it('accept a fetch function, whose error is reported without the token', async () => {
    const client = createGrpcWebClient(HealthDefinition, {
      url: 'https://node.example.com',
      auth: { kind: 'x-token', token },
      retries: 0,
      fetch: () => Promise.reject(new TypeError(`cannot send ${token}`)),
    })
    const error = await failure(client.check({}))
    expect(FairleadError.is(error, 'GRPC_STATUS') && error.details.detail).toBe(
      'no connection to the server: cannot send ***',
    )
  })

  it('reject an invalid URL', () => {
    expect(() => createGrpcWebClient(HealthDefinition, { url: 'ftp://node.example.com' })).toThrow(
      'CONFIG_INVALID',
    )
  })
})
