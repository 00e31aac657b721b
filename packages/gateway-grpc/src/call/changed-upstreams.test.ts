import { status } from '@grpc/grpc-js'
import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { setImmediate as nextTick } from 'node:timers/promises'
import { connect, type ServerHttp2Stream } from 'node:http2'
import { frameMessage } from '@fairlead/grpc-transport'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { waitFor } from '@fairlead/vitest/wait-for'
import { grpcInFrontOf, xToken } from '../testing/grpc-fixture.ts'
import { grpcJs } from '../testing/grpc-js-client.ts'
import { grpcNode, http2Node } from '../testing/grpc-node.ts'

const head = { ':status': 200, 'content-type': 'application/grpc' }
const subscribe = '/geyser.Geyser/Subscribe'
const subscribeCheckpoints = '/sui.rpc.v2.SubscriptionService/SubscribeCheckpoints'
const moved = {
  code: status.UNAVAILABLE,
  details: 'The upstreams of the node have changed. Start the call again.',
}

describe('a call without a stream, whose upstream is removed,', () => {
  test.each(['while another one remains', 'with all others'])('completes there: %s', async (removal) => {
    let respond: ((text: string) => void) | undefined
    const removed = await grpcNode({ one: () => new Promise<string>((resolve) => (respond = resolve)) })
    const other = await grpcNode()
    const list = removal === 'with all others' ? removed.url : `${removed.url} ${other.url}`
    const gateway = await grpcInFrontOf(list)
    const call = grpcJs(gateway.url).one('a')
    await waitFor(() => expect(respond).toBeDefined())
    gateway.grant({ upstreams: { grpc: other.url } })
    // The change has taken effect, and a further one changes nothing for the call.
    expect((await grpcJs(gateway.url).one('b')).messages).toEqual(['one b'])
    gateway.grant({ upstreams: { grpc: other.url }, network: 'other' })
    respond?.('late')
    expect(await call).toMatchObject({ status: { code: status.OK }, messages: ['late'] })
  })

  it('ends with the message that shows that it is a stream', async () => {
    const toSend: (() => void)[] = []
    const node = await grpcNode({
      split: async function* () {
        for (const message of ['a', 'b', 'c']) {
          await new Promise<void>((resolve) => toSend.push(resolve))
          yield message
        }
      },
    })
    const gateway = await grpcInFrontOf(node.url)
    const { ended } = grpcJs(gateway.url).split('')
    await waitFor(() => toSend.length === 1)
    gateway.grant({ upstreams: { grpc: (await grpcNode()).url } })
    toSend[0]?.()
    await waitFor(() => toSend.length === 2)
    toSend[1]?.()
    expect(await ended).toMatchObject({ status: moved, messages: ['a'] })
    await waitFor(() => expect(node.openCalls).toBe(0))
  })
})

/** An upstream that records the bytes of each call, and sends what a test wants. */
async function recordingNode() {
  const streams: ServerHttp2Stream[] = []
  const received: Buffer[] = []
  const { url } = await http2Node((stream) => {
    const index = streams.push(stream) - 1
    received.push(Buffer.alloc(0))
    stream.on('data', (bytes: Buffer) => {
      received[index] = Buffer.concat([received[index] ?? Buffer.alloc(0), bytes])
    })
  })
  return { url, streams, received }
}

async function twoRecordingNodes() {
  const [removed, other] = [await recordingNode(), await recordingNode()]
  const gateway = await grpcInFrontOf(`${removed.url} ${other.url}`)
  const session = connect(gateway.url)
  onTestFinished(() => session.destroy())
  const open = (path: string) => {
    const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' }
    const stream = session.request({ ...headers, 'x-token': xToken })
    const statuses: unknown[] = []
    const record = (fields: Readonly<Record<string, unknown>>) => statuses.push(fields['grpc-status'])
    stream
      .on('response', record)
      .on('trailers', record)
      .on('error', () => undefined)
    const messages: Buffer[] = []
    stream.on('data', (bytes: Buffer) => messages.push(bytes))
    return { stream, statuses, messages }
  }
  const remove = () => gateway.grant({ upstreams: { grpc: other.url } })
  return { removed, other, gateway, open, remove }
}

describe('a stream whose upstream is removed', () => {
  test.each([
    [subscribe, 10],
    [subscribe, 100_000],
    [subscribeCheckpoints, 10],
  ])('begins again at another one without headers: %s, %i bytes', async (path, length) => {
    const { removed, other, open, remove } = await twoRecordingNodes()
    const { stream, statuses, messages } = open(path)
    const [request, further] = [frameMessage(Buffer.alloc(length, 0xff)), frameMessage(Buffer.of(0xff))]
    stream.write(request)
    await waitFor(() => expect(removed.received[0]).toHaveLength(request.length))
    remove()
    await waitFor(() => expect(other.received[0]).toEqual(Buffer.from(request)))
    expect(removed.streams[0]?.destroyed).toBe(true)
    stream.write(further)
    await waitFor(() => expect(other.received[0]).toEqual(Buffer.concat([request, further])))
    other.streams[0]?.respond(head)
    other.streams[0]?.write(frameMessage(Buffer.from('a')))
    await waitFor(() => expect(Buffer.concat(messages)).toEqual(Buffer.from(frameMessage(Buffer.from('a')))))
    expect([statuses, removed.streams.length, other.streams.length]).toEqual([[undefined], 1, 1])
  })

  it('without headers and with a long request ends', async () => {
    const { removed, open, remove } = await twoRecordingNodes()
    const { stream, statuses } = open(subscribeCheckpoints)
    const request = frameMessage(Buffer.alloc(100_000))
    stream.end(request)
    await waitFor(() => expect(removed.received[0]).toHaveLength(request.length))
    remove()
    await waitFor(() => expect(statuses).toEqual([String(status.UNAVAILABLE)]))
  })

  it('continues at another one when a Geyser client has sent no request yet', async () => {
    const { removed, other, open, remove } = await twoRecordingNodes()
    const { stream, statuses } = open(subscribe)
    await waitFor(() => expect(removed.streams).toHaveLength(1))
    removed.streams[0]?.respond(head)
    await waitFor(() => expect(statuses).toEqual([undefined]))
    remove()
    const request = frameMessage(Buffer.of(0xff))
    stream.write(request)
    await waitFor(() => expect(other.received[0]).toEqual(Buffer.from(request)))
    expect(statuses).toEqual([undefined])
  })

  it('ends after the headers, unless it is a Geyser subscription', async () => {
    const { removed, other, open, remove } = await twoRecordingNodes()
    const { stream, statuses } = open(subscribeCheckpoints)
    stream.end(frameMessage(Buffer.of(0xff)))
    await waitFor(() => expect(removed.streams).toHaveLength(1))
    removed.streams[0]?.respond(head)
    await waitFor(() => expect(statuses).toEqual([undefined]))
    remove()
    await waitFor(() => expect(statuses).toEqual([undefined, String(status.UNAVAILABLE)]))
    expect(other.streams).toEqual([])
  })
})

describe('a stream of a node that shares its list with another node', () => {
  async function startShared() {
    const [first, second] = [await grpcNode(), await grpcNode()]
    const secondToken = 'second-x-token'
    const gateway = await grpcInFrontOf(`${first.url} ${second.url}`, { secondToken })
    const streams = [grpcJs(gateway.url).echo(), grpcJs(gateway.url, secondToken).echo()] as const
    const echo = async (...texts: string[]) => {
      for (const [index, text] of texts.entries()) {
        streams[index]?.call.write(text)
        await waitFor(() => expect(streams[index]?.messages.at(-1)).toBe(`echo ${text}`))
      }
    }
    await echo('a', 'a')
    return { first, second, gateway, streams, echo }
  }

  it('continues while its upstream is one of the node', async () => {
    const { first, second, gateway, streams, echo } = await startShared()
    const added = await grpcNode()
    for (const grpc of [`${first.url} ${added.url}`, `${first.url}#cordoned ${second.url}`, first.url]) {
      gateway.grant({ upstreams: { grpc } })
      await echo(grpc, grpc)
    }
    for (const { call, ended } of streams) {
      call.end()
      expect((await ended).status.code).toBe(status.OK)
    }
    expect([first.calls.length, second.calls.length, added.calls.length]).toEqual([2, 0, 0])
  })

  it.each(['one URL remains', 'no URL remains'])('ends when its upstream is removed: %s', async (change) => {
    const { second, gateway, streams } = await startShared()
    const other = change === 'one URL remains' ? second : await grpcNode()
    gateway.grant({ upstreams: { grpc: other.url } })
    expect((await streams[0].ended).status).toMatchObject(moved)
    streams[1].call.write('b')
    await waitFor(() => expect(streams[1].messages.at(-1)).toBe('echo b'))
  })
})

it('a call whose upstream cannot be reached is opened at the one that was added meanwhile', async () => {
  let connections = 0
  const silent = createTcpServer(() => void (connections += 1)).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const [other, gateway] = [await grpcNode(), await grpcInFrontOf(url, { connectTimeoutMs: 500 })]
  const call = grpcJs(gateway.url).one('a')
  await waitFor(() => connections > 0)
  gateway.grant({ upstreams: { grpc: `${url}#cordoned ${other.url}` } })
  expect(await call).toMatchObject({ status: { code: status.OK }, messages: ['one a'] })
})

it('a stream continues when the rate limit of its upstream changes', async () => {
  const node = await grpcNode()
  const gateway = await grpcInFrontOf(node.url)
  const { call, messages, ended } = grpcJs(gateway.url).echo()
  call.write('a')
  await waitFor(() => messages.length === 1)
  for (const rate of ['#rps=100', '#rps=200', '']) {
    gateway.grant({ upstreams: { grpc: `${node.url}${rate}` } })
    expect((await grpcJs(gateway.url).one('a')).status.code).toBe(status.OK)
  }
  call.write('b')
  await waitFor(() => messages.length === 2)
  call.end()
  expect((await ended).status.code).toBe(status.OK)
  expect(node.sessions.size).toBe(1)
})

it('connections to an upstream close after five minutes without a call', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const [removed, other] = [await grpcNode(), await grpcNode()]
  const closed: string[] = []
  const gateway = await grpcInFrontOf(removed.url)
  const client = grpcJs(gateway.url)
  await client.one('a')
  for (const session of removed.sessions) session.once('close', () => closed.push('removed'))
  gateway.grant({ upstreams: { grpc: other.url } })
  await client.one('a')
  vi.advanceTimersByTime(290_000)
  expect((await client.one('a')).status.code).toBe(status.OK)
  expect(closed).toEqual([])
  vi.advanceTimersByTime(20_000)
  while (closed.length === 0) await nextTick()
  expect((await client.one('a')).status.code).toBe(status.OK)
  expect(other.sessions.size).toBe(1)
})
