import { status } from '@grpc/grpc-js'
import { once } from 'node:events'
import { connect, constants } from 'node:http2'
import { frameMessage } from '@fairlead/grpc-transport'
import { expect, it, onTestFinished, test, vi } from 'vitest'
import { waitFor, waitWithoutTimers } from '@fairlead/vitest/wait-for'
import { grpcInFrontOf, xToken } from '../testing/grpc-fixture.ts'
import { grpcJs } from '../testing/grpc-js-client.ts'
import { grpcNode, http2Node } from '../testing/grpc-node.ts'

const head = { ':status': 200, 'content-type': 'application/grpc' }
const message = Buffer.of(0, 0, 0, 0, 1, 97)

function fakeTimers(...names: ('Date' | 'setTimeout' | 'clearTimeout')[]): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', ...names] })
  onTestFinished(() => void vi.useRealTimers())
}

test.each([
  ['revoked' as const, status.UNAUTHENTICATED, 'The credential is no longer valid.'],
  [{ protocols: ['evm'] }, status.PERMISSION_DENIED, 'The node no longer offers this protocol.'],
  [
    { upstreams: { grpc: 'http://127.0.0.1:1' } },
    status.UNAVAILABLE,
    'The upstreams of the node have changed. Start the call again.',
  ],
])('a stream ends immediately when its credential is %j', async (change, code, details) => {
  // No timer advances, so that the end depends on none.
  fakeTimers('setTimeout', 'clearTimeout')
  const node = await grpcNode()
  const gateway = await grpcInFrontOf(node.url)
  const { call, messages, ended } = grpcJs(gateway.url).echo()
  call.write('a')
  await waitWithoutTimers(() => messages.length === 1)
  gateway.grant()
  gateway.grant(change)
  expect(await ended).toMatchObject({ status: { code, details } })
  vi.useRealTimers()
  await waitFor(() => expect(node.openCalls).toBe(0))
})

it('continues a call while its upstream is one of the node', async () => {
  const [node, other] = [await grpcNode(), await grpcNode()]
  const gateway = await grpcInFrontOf(node.url)
  const { call, messages, ended } = grpcJs(gateway.url).echo()
  call.write('a')
  await waitFor(() => messages.length === 1)
  for (const grpc of [`${other.url} ${node.url}`, `${other.url} ${node.url}#cordoned`]) {
    gateway.grant({ upstreams: { grpc } })
    expect((await grpcJs(gateway.url).one('a')).status.code).toBe(status.OK)
  }
  call.write('b')
  await waitFor(() => messages.length === 2)
  gateway.grant({ upstreams: { grpc: other.url } })
  expect(await ended).toMatchObject({
    status: {
      code: status.UNAVAILABLE,
      details: 'The upstreams of the node have changed. Start the call again.',
    },
  })
})

it('ends a stream when its credential expires', async () => {
  fakeTimers('Date')
  const node = await grpcNode()
  const gateway = await grpcInFrontOf(node.url)
  gateway.grant({ expiresAt: Date.now() + 500 })
  const client = grpcJs(gateway.url)
  const { call, messages, ended } = client.echo()
  call.write('a')
  await waitWithoutTimers(() => messages.length === 1)
  vi.advanceTimersByTime(499)
  call.write('b')
  await waitWithoutTimers(() => messages.length === 2)
  vi.advanceTimersByTime(1_001)
  expect(await ended).toMatchObject({ status: { code: status.UNAUTHENTICATED } })
  expect((await client.one('a')).status.code).toBe(status.UNAUTHENTICATED)
})

it('ends a revoked stream also when its client does not read', async () => {
  const large = 'x'.repeat(65_536)
  const node = await grpcNode({
    split: async function* () {
      for (;;) yield large
    },
  })
  const gateway = await grpcInFrontOf(node.url)
  const session = connect(gateway.url)
  onTestFinished(() => session.destroy())
  const stream = session.request({
    ':method': 'POST',
    ':path': '/test.Test/Split',
    'content-type': 'application/grpc',
    'x-token': xToken,
  })
  stream.end(frameMessage(Buffer.from('a')))
  stream.pause()
  // The window of the stream is exhausted, so that only a reset can reach the client.
  await waitFor(() => expect(stream.readableLength).toBe(65_535))
  gateway.grant('revoked')
  await once(stream, 'close')
  expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL)
  await waitFor(() => expect(node.openCalls).toBe(0))
})

it('reports an unreachable upstream without its URL', async () => {
  const gateway = await grpcInFrontOf('http://x-token:c4n4ry-secret@127.0.0.1:9')
  const { status: end } = await grpcJs(gateway.url).one('a')
  expect(end).toMatchObject({ code: status.UNAVAILABLE, details: 'The upstream is unreachable.' })
  expect(gateway.log()).not.toMatch(/c4n4ry|127\.0\.0\.1/)
  gateway.grant({ upstreams: { grpc: 'c4n4ry' } })
  expect((await grpcJs(gateway.url).one('a')).status.details).toBe(
    'The upstream URL of this node is not a gRPC URL.',
  )
  gateway.grant({ upstreams: {} })
  expect((await grpcJs(gateway.url).one('a')).status.details).toBe('This node has no upstream for grpc.')
})

it('reconnects to an upstream that was down', async () => {
  const node = await grpcNode()
  const { port } = new URL(node.url)
  const client = grpcJs((await grpcInFrontOf(node.url)).url)
  expect((await client.one('a')).status.code).toBe(0)
  const { ended } = client.echo()
  await waitFor(() => expect(node.openCalls).toBe(1))
  await node.stop()
  expect((await ended).status).toMatchObject({ code: status.UNAVAILABLE })
  expect((await client.one('a')).status).toMatchObject({ code: status.UNAVAILABLE })
  const next = await grpcNode({}, Number(port))
  expect(next.url).toBe(node.url)
  await waitFor(async () => expect((await client.one('a')).status.code).toBe(0))
})

it.each([
  ['resets the stream', constants.NGHTTP2_INTERNAL_ERROR],
  ['cancels', constants.NGHTTP2_CANCEL],
  ['always rejects streams', constants.NGHTTP2_REFUSED_STREAM],
])('an upstream that %s causes UNAVAILABLE', async (_, code) => {
  let calls = 0
  const node = await http2Node((stream) => {
    calls++
    stream.close(code)
  })
  const { status: end } = await grpcJs((await grpcInFrontOf(node.url)).url, xToken, {
    'grpc.enable_retries': 0,
  }).one('a')
  expect(end).toMatchObject({
    code: status.UNAVAILABLE,
    details: 'The upstream ended the call unexpectedly.',
  })
  expect(calls).toBe(code === constants.NGHTTP2_REFUSED_STREAM ? 2 : 1)
})

it('retries an unprocessed call completely, and only once', async () => {
  const bodies: string[] = []
  const node = await http2Node((stream) => {
    if (bodies.push('') === 1) {
      stream.once('data', () => stream.close(constants.NGHTTP2_REFUSED_STREAM))
      return
    }
    stream.on('data', (bytes: Buffer) => (bodies[1] += bytes.toString('latin1')))
    stream.on('end', () => {
      stream.respond(head, { waitForTrailers: true })
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.end(message)
    })
  })
  const gateway = await grpcInFrontOf(node.url)
  const { messages, status: end } = await grpcJs(gateway.url).one('hello')
  expect([end.code, messages]).toEqual([0, ['a']])
  expect(bodies).toEqual(['', '\u0000\u0000\u0000\u0000\u0005hello'])
})

it('reconnects after GOAWAY, and open calls continue', async () => {
  const node = await grpcNode()
  const gateway = await grpcInFrontOf(node.url)
  const client = grpcJs(gateway.url)
  const { call, messages, ended } = client.echo()
  call.write('a')
  await waitFor(() => messages.length === 1)
  for (const session of node.sessions) session.close()
  expect((await client.one('b')).messages).toEqual(['one b'])
  call.write('c')
  await waitFor(() => messages.length === 2)
  call.end()
  expect((await ended).status.code).toBe(0)
})

it.each([
  [{ ...head, 'grpc-status': '16', 'grpc-message': 'bad c4n4ry' }, status.UNAVAILABLE],
  [{ ':status': 401, 'grpc-status': '16' }, status.UNAVAILABLE],
  [{ ':status': 401 }, status.UNAVAILABLE],
  [{ ':status': 403, 'content-type': 'text/html' }, status.UNAVAILABLE],
])('an upstream authentication failure is not reported as one of the client: %j', async (headers, code) => {
  const node = await http2Node((stream) => stream.respond(headers, { endStream: true }))
  const { status: end } = await grpcJs((await grpcInFrontOf(node.url)).url).one('a')
  expect(end).toMatchObject({ code, details: 'The upstream rejected the credential of the gateway.' })
})

it.each([
  [{ ':status': 404 }, status.UNIMPLEMENTED, 'The upstream returned HTTP 404.'],
  [{ ':status': 502, 'content-type': 'text/html' }, status.UNAVAILABLE, 'The upstream returned HTTP 502.'],
  [
    { ':status': 200, 'content-type': 'text/html' },
    status.UNKNOWN,
    'The response of the upstream is not gRPC.',
  ],
  [head, status.UNKNOWN, 'The upstream ended the call without a status.'],
  [{ ...head, 'grpc-status': '99' }, 99, ''],
])('a response that is not gRPC has a status: %j', async (headers, code, details) => {
  const node = await http2Node((stream) => stream.respond(headers, { endStream: true }))
  const gateway = await grpcInFrontOf(node.url)
  const { status: end } = await grpcJs(gateway.url).one('a')
  expect(end).toMatchObject({ code, details })
})

it('redacts the URL and the credential of the upstream', async () => {
  const node = await http2Node((stream) =>
    stream.respond(
      {
        ...head,
        'grpc-status': '13',
        'grpc-message': `no c4n4ry-s%C3%A9cret at ${new URL(node.url).host}`,
        'grpc-status-details-bin': Buffer.from('c4n4ry-key').toString('base64'),
        'x-debug': 'c4n4ry-key',
        'x-kept': 'kept',
      },
      { endStream: true },
    ),
  )
  const gateway = await grpcInFrontOf(node.url.replace('//', '//x-token:c4n4ry-key@'))
  const { status: end } = await grpcJs(gateway.url).one('a')
  expect(end.details).toBe('no c4n4ry-sécret at ***')
  expect(end.metadata.get('x-kept')).toEqual(['kept'])
  expect(`${JSON.stringify(end.metadata.getMap())}${gateway.log()}`).not.toContain('c4n4ry-key')
  expect(end.metadata.get('grpc-status-details-bin')).toEqual([])
})

it('shutdown ends streams, and unary calls complete', async () => {
  let respond: (text: string) => void = () => undefined
  const node = await grpcNode({ one: () => new Promise<string>((resolve) => (respond = resolve)) })
  const gateway = await grpcInFrontOf(node.url)
  const client = grpcJs(gateway.url)
  const unaryCall = client.one('a')
  const { call, messages, ended } = client.echo()
  for (const request of ['a', 'b']) call.write(request)
  await waitFor(() => messages.length === 2 && respond.name === '')
  const stopped = gateway.stop(5_000)
  expect((await ended).status).toMatchObject({
    code: status.UNAVAILABLE,
    details: 'The gateway is shutting down.',
  })
  respond('late')
  expect(await unaryCall).toMatchObject({ messages: ['late'], status: { code: 0 } })
  await stopped
})

it('ends open calls after the drain timeout', async () => {
  const node = await grpcNode({ one: () => new Promise<string>(() => undefined) })
  const gateway = await grpcInFrontOf(node.url)
  const unaryCall = grpcJs(gateway.url).one('a')
  await waitFor(() => expect(node.openCalls).toBe(1))
  await gateway.stop(300)
  expect((await unaryCall).status.code).toBe(status.UNAVAILABLE)
})
