import { once } from 'node:events'
import { connect, type ServerHttp2Stream } from 'node:http2'
import { status } from '@grpc/grpc-js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { waitFor } from '@fairlead/vitest/wait-for'
import { grpcInFrontOf, xToken } from '../testing/grpc-fixture.ts'
import { grpcJs } from '../testing/grpc-js-client.ts'
import { grpcNode, http2Node } from '../testing/grpc-node.ts'

describe('a gRPC call through the gateway', () => {
  it('supports all four method kinds', async () => {
    const node = await grpcNode()
    const gateway = await grpcInFrontOf(node.url)
    const client = grpcJs(gateway.url)
    expect(await client.one('a')).toMatchObject({ messages: ['one a'], status: { code: 0 } })
    expect(await client.join(['a', 'b', 'c'])).toMatchObject({ messages: ['a+b+c'], status: { code: 0 } })
    expect(await client.split('a+b+c').ended).toMatchObject({
      messages: ['a', 'b', 'c'],
      status: { code: 0 },
    })
    const { call, messages, ended } = client.echo()
    for (const request of ['x', 'y']) {
      call.write(request)
      await waitFor(() => messages.includes(`echo ${request}`))
    }
    call.end()
    expect((await ended).status.code).toBe(0)
    await waitFor(() => expect(node.openCalls).toBe(0))
  })

  it('transfers large messages and many small ones completely', async () => {
    const node = await grpcNode()
    const gateway = await grpcInFrontOf(node.url)
    const client = grpcJs(gateway.url, xToken, {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
    })
    const large = 'x'.repeat(3_500_000)
    expect((await client.one(large)).messages).toEqual([`one ${large}`])
    const many = Array.from({ length: 20_000 }, (_, index) => `m${index}`)
    expect((await client.split(many.join('+')).ended).messages).toEqual(many)
    const counted = await gateway.sample('fairlead_grpc_messages_total{method="unknown"}')
    expect(counted).toBe('20001')
  })

  it('is timed only when the contract defines a unary method', async () => {
    const gateway = await grpcInFrontOf((await grpcNode()).url)
    const client = grpcJs(gateway.url)
    const timed = () => gateway.sample('fairlead_node_request_duration_seconds_count{protocol="grpc"}')
    expect((await client.one('a')).status.code).toBe(0)
    expect((await client.split('a+b').ended).status.code).toBe(0)
    expect((await client.split('a', '/geyser.Geyser/Subscribe').ended).status.code).not.toBe(0)
    await waitFor(async () => expect(await gateway.sample('fairlead_grpc_open_calls')).toBe('0'))
    expect(await timed()).toBeUndefined()
    expect((await client.one('a', '/geyser.Geyser/GetVersion')).status.code).not.toBe(0)
    await waitFor(async () => expect(await timed()).toBe('1'))
  })

  it('passes metadata unchanged in both directions, without hop-by-hop entries and credentials', async () => {
    const node = await grpcNode()
    const address = node.url.replace('//', '//x-key:s3cr3t%20key@')
    const client = grpcJs((await grpcInFrontOf(address)).url)
    client.metadata.set('x-cosmos-block-height', '5')
    client.metadata.add('x-many', '1')
    client.metadata.add('x-many', '2')
    client.metadata.set('trace-bin', Buffer.of(0, 200))
    for (const name of [
      'authorization',
      'cookie',
      'x-forwarded-for',
      'x-subscription-id',
      'forwarded',
      'via',
    ]) {
      client.metadata.set(name, 'c4n4ry')
    }
    client.metadata.set('x-key', 'c4n4ry')
    const { headers, status: end } = await client.one('a', undefined, { deadline: Date.now() + 60_000 })
    const [{ metadata, deadline } = { metadata: {}, deadline: 0 }] = node.calls
    expect(metadata).toMatchObject({
      'x-key': 's3cr3t key',
      'x-cosmos-block-height': '5',
      'x-many': '1, 2',
      'trace-bin': Uint8Array.of(0, 200),
      'user-agent': expect.stringContaining('grpc-node-js'),
    })
    expect(JSON.stringify(metadata)).not.toContain('c4n4ry')
    expect(deadline).toBeGreaterThan(performance.now() + 30_000)
    expect(headers?.getMap()).toMatchObject({ 'x-sui-epoch': '7' })
    expect(headers?.get('x-many')).toEqual(['a, b'])
    expect(end.metadata.get('x-last')).toEqual(['l'])
    expect(end.metadata.get('raw-bin')).toEqual([Buffer.of(1, 2, 255)])
  })

  it('ends with the status, message and details of the upstream', async () => {
    const node = await grpcNode()
    const client = grpcJs((await grpcInFrontOf(node.url)).url)
    const { status: end } = await client.one('fail 50 % of ünits: a/b')
    expect(end).toMatchObject({ code: status.NOT_FOUND, details: '50 % of ünits: a/b' })
    expect(end.metadata.get('x-why')).toEqual(['one, two'])
    expect(end.metadata.get('grpc-status-details-bin')).toEqual([Buffer.of(0, 255, 1)])
    expect((await client.one('a', '/test.Test/None')).status.code).toBe(status.UNIMPLEMENTED)
    expect((await client.one('a', '/other.Service/None')).status.code).toBe(status.UNIMPLEMENTED)
  })

  it('is rejected by the upstream when a message is too large', async () => {
    const node = await grpcNode()
    const client = grpcJs((await grpcInFrontOf(node.url)).url, xToken, { 'grpc.max_send_message_length': -1 })
    const { status: end } = await client.one('x'.repeat(5_000_000))
    expect(end.code).toBe(status.RESOURCE_EXHAUSTED)
  })

  it('is cancelled at the upstream when the client cancels, disconnects or reaches its deadline', async () => {
    const signals: AbortSignal[] = []
    const node = await grpcNode({
      split: async function* (_, { signal }) {
        signals.push(signal)
        yield 'first'
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    })
    const gateway = await grpcInFrontOf(node.url)
    const client = grpcJs(gateway.url)
    const cancelled = client.split('a')
    await waitFor(() => cancelled.messages.length === 1)
    expect(await gateway.sample('fairlead_grpc_open_calls')).toBe('1')
    cancelled.call.cancel()
    expect((await cancelled.ended).status.code).toBe(status.CANCELLED)
    await waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true]))
    const timedOut = client.split('a', undefined, { deadline: Date.now() + 300 })
    expect((await timedOut.ended).status.code).toBe(status.DEADLINE_EXCEEDED)
    await waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]))
    await waitFor(async () => expect(await gateway.sample('fairlead_grpc_open_calls')).toBe('0'))
    expect(
      await gateway.sample('fairlead_grpc_calls_total{method="unknown",status="CANCELLED"}'),
    ).toBeDefined()
  })

  it('can be ended by the upstream while the client still sends', async () => {
    const node = await grpcNode({
      echo: async function* (requests) {
        for await (const request of requests) {
          yield request
          return
        }
      },
    })
    const { call, ended } = grpcJs((await grpcInFrontOf(node.url)).url).echo()
    call.write('x')
    expect(await ended).toMatchObject({ messages: ['x'], status: { code: 0 } })
    await waitFor(() => expect(node.openCalls).toBe(0))
  })

  it('applies backpressure', async () => {
    let sent = 0
    const node = await grpcNode({
      split: async function* () {
        const large = 'x'.repeat(65_536)
        for (; sent < 1_000; sent++) yield large
      },
    })
    const { url } = await grpcInFrontOf(node.url)
    const { call } = grpcJs(url).split('a')
    call.pause()
    // No more messages are sent while other calls complete.
    const other = grpcJs(url)
    await waitFor(async () => {
      const before = sent
      for (let attempt = 0; attempt < 20; attempt++) await other.one('a')
      expect([sent, before > 0]).toEqual([before, true])
    })
    // One flow-control window on either side of the gateway, and the buffers between them; never all of the 65 MB.
    expect(sent).toBeLessThan(400)
    call.resume()
    await waitFor(() => expect(sent).toBe(1_000))
  })
})

describe('a rejected call', () => {
  it.each([
    [null, status.UNAUTHENTICATED, 'Missing credential: send it as the metadata entry x-token.'],
    ['', status.UNAUTHENTICATED, 'Missing credential: send it as the metadata entry x-token.'],
    ['c4n4ry-wrong', status.UNAUTHENTICATED, 'Unknown x-token.'],
  ])('with the x-token %j does not reach the upstream', async (token, code, details) => {
    const node = await grpcNode()
    const gateway = await grpcInFrontOf(node.url)
    const { status: end } = await grpcJs(gateway.url, token).one('a')
    expect(end).toMatchObject({ code, details })
    expect((await grpcJs(gateway.url, token).echo().ended).status.code).toBe(code)
    expect(node.calls).toHaveLength(0)
    expect(`${gateway.log()}${await gateway.metrics()}`).not.toContain('c4n4ry')
    expect(await gateway.sample('fairlead_grpc_calls_total{method="unknown",status="UNAUTHENTICATED"}')).toBe(
      '2',
    )
  })

  it('accepts its credential only as x-token', async () => {
    const gateway = await grpcInFrontOf((await grpcNode()).url)
    const client = grpcJs(gateway.url, null)
    client.metadata.set('authorization', `Bearer ${xToken}`)
    expect((await client.one('a')).status.code).toBe(status.UNAUTHENTICATED)
    expect((await client.one('a', `/${xToken}/One`)).status.code).toBe(status.UNAUTHENTICATED)
    expect(gateway.log()).not.toContain(xToken)
  })

  it('reports that the node does not offer gRPC or the method', async () => {
    const gateway = await grpcInFrontOf((await grpcNode()).url)
    const client = grpcJs(gateway.url)
    gateway.grant({ protocols: ['evm'] })
    expect((await client.one('a')).status).toMatchObject({
      code: status.PERMISSION_DENIED,
      details: 'This node does not offer grpc.',
    })
    gateway.grant({ withheldMethods: ['/test.Test/One'] })
    expect((await client.one('a')).status).toMatchObject({ code: status.UNIMPLEMENTED })
    gateway.grant()
    for (const path of ['/One', '/test.Test/One/x', '/test.Test/One?x', '//One']) {
      expect((await client.one('a', path)).status).toMatchObject({
        code: status.UNIMPLEMENTED,
        details: 'The path of a call must be /<package>.<Service>/<Method>.',
      })
    }
    expect((await client.one('a')).status.code).toBe(0)
  })

  it('fails at the host of another node', async () => {
    const gateway = await grpcInFrontOf((await grpcNode()).url, { nodeDomain: 'nodes.example' })
    const callAtHost = (authority: string) =>
      grpcJs(gateway.url, xToken, { 'grpc.default_authority': authority }).one('a')
    expect((await callAtHost('node.nodes.example')).status.code).toBe(0)
    expect((await callAtHost('NODE.nodes.example:443')).status.code).toBe(0)
    expect((await callAtHost('other.nodes.example')).status).toMatchObject({
      code: status.UNAUTHENTICATED,
      details: 'The credential belongs to another node.',
    })
  })
})

it('headers and trailers pass unchanged, including repeated ones', async () => {
  let rawHeaders: readonly string[] = []
  const node = await http2Node((stream, _, raw) => {
    rawHeaders = raw
    stream.respond(
      {
        ':status': 200,
        'content-type': 'application/grpc+proto',
        'x-a': ['1', '2'],
        server: 'c4n4ry',
        'set-cookie': ['c4n4ry'],
      },
      { waitForTrailers: true },
    )
    stream.once('wantTrailers', () =>
      stream.sendTrailers({ 'grpc-status': '0', 'x-a': ['1', '2'], 'x-b-bin': 'AAE', server: 's' }),
    )
    stream.end(Buffer.of(0, 0, 0, 0, 0))
  })
  const gateway = await grpcInFrontOf(node.url)
  const session = connect(gateway.url)
  onTestFinished(() => session.destroy())
  const stream = session.request({
    ':method': 'POST',
    ':path': '/a.B/C',
    'content-type': 'application/grpc',
    'x-token': xToken,
    'x-many': ['1', '2'],
  })
  stream.end(Buffer.of(0, 0, 0, 0, 0))
  const heads: (readonly string[])[] = []
  for (const event of ['response', 'trailers']) {
    stream.once(event, (_: unknown, __: unknown, raw: readonly string[]) => heads.push(raw))
  }
  stream.resume()
  await once(stream, 'close')
  const [head, trailers] = heads
  expect(rawHeaders.join(' ')).toContain('x-many 1 x-many 2')
  expect(head?.join(' ')).toMatch(/:status 200 content-type application\/grpc\+proto x-a 1 x-a 2/)
  expect(head).not.toContain('c4n4ry')
  expect(trailers).toEqual(['grpc-status', '0', 'x-a', '1', 'x-a', '2', 'x-b-bin', 'AAE', 'server', 's'])
})

it('other HTTP/2 requests are passed to the fallback listener', async () => {
  const fallback = (stream: ServerHttp2Stream) => {
    stream.respond({ ':status': 415 })
    stream.end('from others')
  }
  const gateway = await grpcInFrontOf((await grpcNode()).url, { fallback })
  const session = connect(gateway.url)
  onTestFinished(() => session.destroy())
  for (const headers of [
    { ':path': '/healthz' },
    { ':path': '/test.Test/One', ':method': 'POST', 'content-type': 'application/json' },
    { ':path': '/test.Test/One', ':method': 'POST', 'content-type': 'application/grpcish' },
    { ':path': '/test.Test/One', ':method': 'PUT', 'content-type': 'application/grpc' },
  ]) {
    const stream = session.request(headers)
    const [head] = (await once(stream, 'response')) as [Readonly<Record<string, unknown>>]
    expect(head[':status']).toBe(415)
    expect(Buffer.concat(await stream.toArray()).toString()).toBe('from others')
  }
})
