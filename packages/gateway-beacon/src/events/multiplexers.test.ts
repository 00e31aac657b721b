import { expect, onTestFinished, test, vi } from 'vitest'
import { sendJson } from '../testing/beacon-server.ts'
import { processSocketData, waitFor, waitWithoutTimers } from '@fairlead/vitest/wait-for'
import { eventGateway } from '../testing/event-gateway.ts'
import { type EventReader, readEvents } from '../testing/event-reader.ts'
import { eventServer } from '../testing/event-server.ts'
import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { grantOf } from '../testing/node-set.ts'

const head = (slot: number) => `event: head\ndata: {"slot":"${slot}"}\n\n`
const ended = ': the event stream of the upstream ended\n\n'

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

test('a stream starts with the event stream headers, a retry line and a comment', async () => {
  const node = await eventServer()
  const { url } = await eventGateway([node])
  const client = await readEvents(`${url}?topics=head`)
  expect(client.response.statusCode).toBe(200)
  expect(client.response.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-request-id': 'request',
  })
  expect(client.response.headers['content-encoding']).toBeUndefined()
  await waitFor(() =>
    expect(client.text()).toMatch(/^retry: (5\d\d|[6-9]\d\d|1\d{3}|2[0-4]\d\d|2500)\n:\n\n$/),
  )
})

test('clients of the same topics share one stream, in any order of topics', async () => {
  const node = await eventServer()
  const { url, multiplexers } = await eventGateway([node])
  const clients = await Promise.all([
    readEvents(`${url}?topics=head&topics=block`),
    readEvents(`${url}?topics=block&topics=head`),
    readEvents(`${url}?topics=head&topics=block&topics=head`),
  ])
  const other = await readEvents(`${url}?topics=head`)
  expect(node.requests.toSorted()).toEqual([
    'GET /eth/v1/events?topics=block&topics=head',
    'GET /eth/v1/events?topics=head',
  ])
  expect(multiplexers.upstreamStreams()).toBe(2)
  node.send(head(1))
  for (const client of [...clients, other]) {
    await waitFor(() => expect(client.received().toString()).toBe(head(1)))
  }
})

test.each([1, 60])('%i credentials leave upstream streams for another organization', async (credentials) => {
  const node = await eventServer()
  const { url, directory, multiplexers } = await eventGateway([node], {}, 1_048_576, undefined, {
    maxUpstreamStreams: 64,
  })
  const record = (organizationId: string, at: number) => {
    const ids = { organizationId, projectId: `${organizationId} ${at % 7}`, nodeId: organizationId }
    const credentialId = `${organizationId}${at}`
    return { sha256: sha256Hex(credentialId), grant: { ...grantOf([node]), ...ids, credentialId } }
  }
  const records = Array.from({ length: credentials }, (_, at) => record('a', at))
  directory.replace([...records, record('b', 0)])
  const open = async (organizationId: string, at: number) => {
    const credential = `${organizationId}${organizationId === 'a' ? at % credentials : 0}`
    return (await readEvents(`${url}?credential=${credential}&topics=${organizationId}${at}`)).response
      .statusCode
  }
  const statuses = []
  for (let at = 0; at < 58; at += 1) statuses.push(await open('a', at))
  expect(statuses).toEqual([...Array.from({ length: 56 }, () => 200), 503, 503])
  for (let at = 0; at < 8; at += 1) expect(await open('b', at)).toBe(200)
  // A stream that exists is joined.
  expect([await open('a', 55), multiplexers.upstreamStreams()]).toEqual([200, 64])
})

test('the upstream stream ends after the idle grace period, not before the last client disconnects', async () => {
  fakeTimers()
  const node = await eventServer()
  const { url, multiplexers, counts } = await eventGateway([node], { idleGraceMs: 300 })
  const [a, b] = [await readEvents(`${url}?topics=head`), await readEvents(`${url}?topics=head`)]
  await waitWithoutTimers(() => counts.open === 2)
  a.disconnect()
  await waitWithoutTimers(() => counts.open === 1)
  vi.advanceTimersByTime(1_000)
  node.send(head(1))
  await waitWithoutTimers(() => b.received().toString() === head(1))
  b.disconnect()
  await waitWithoutTimers(() => counts.open === 0)
  // A client that reconnects soon finds the stream still open.
  vi.advanceTimersByTime(299)
  const c = await readEvents(`${url}?topics=head`)
  vi.advanceTimersByTime(1_000)
  node.send(head(2))
  await waitWithoutTimers(() => c.received().toString() === head(2))
  expect(node.requests).toHaveLength(1)
  c.disconnect()
  await waitWithoutTimers(() => counts.open === 0)
  vi.advanceTimersByTime(300)
  await waitWithoutTimers(() => node.streams.size === 0)
  expect(multiplexers.upstreamStreams()).toBe(0)
})

test('events pass unchanged with any line endings and chunk boundaries', async () => {
  const node = await eventServer()
  const { url } = await eventGateway([node])
  const client = await readEvents(`${url}?topics=head`)
  const bytes = Buffer.from(
    'event: head\r\ndata: {"note":"é€😀"}\r\n\r\n: comment\n\nevent: head\rdata: 1\r\rdata: two\ndata: lines\n\n',
  )
  for (let at = 0; at < bytes.length; at += 3) {
    node.send(bytes.subarray(at, at + 3))
    await processSocketData()
  }
  await waitFor(() => expect(client.received()).toEqual(bytes))
})

test('events pass immediately, and a later client starts with a complete event', async () => {
  const node = await eventServer()
  const { url } = await eventGateway([node])
  const early = await readEvents(`${url}?topics=head`)
  node.send(`${head(1)}event: head\ndata: {"sl`)
  await waitFor(() => expect(early.received().toString()).toBe(head(1)))
  const laterClient = await readEvents(`${url}?topics=head`)
  await waitFor(() => expect(laterClient.text()).toMatch(/^retry/))
  node.send(`ot":"2"}\n\n${head(3)}`)
  await waitFor(() => expect(early.received().toString()).toBe(head(1) + head(2) + head(3)))
  await waitFor(() => expect(laterClient.received().toString()).toBe(head(2) + head(3)))
})

test.each([
  ['ends', (end: () => void) => end()],
  ['is reset', (_: () => void, destroy: () => void) => destroy()],
])('when the upstream stream %s, all client streams end and clients can reconnect', async (_, stop) => {
  const node = await eventServer()
  const { url, counts } = await eventGateway([node])
  const clients = await Promise.all(Array.from({ length: 5 }, () => readEvents(`${url}?topics=head`)))
  await waitFor(() => expect(counts.open).toBe(5))
  node.send(`${head(1)}event: half`)
  for (const client of clients) await waitFor(() => expect(client.received().toString()).toBe(head(1)))
  for (const stream of node.streams) {
    stop(
      () => stream.end(),
      () => stream.destroy(),
    )
  }
  for (const client of clients) {
    await waitFor(() => expect(client.end()).toBe('complete'))
    expect(client.received().toString()).toBe(head(1) + ended)
  }
  const reconnected = await readEvents(`${url}?topics=head`)
  node.send(head(2))
  await waitFor(() => expect(reconnected.received().toString()).toBe(head(2)))
  expect(node.requests).toHaveLength(2)
})

test('clients receive retry-after while no upstream is reachable', async () => {
  const node = await eventServer()
  const { url, multiplexers } = await eventGateway([node])
  await node.stop()
  const client = await readEvents(`${url}?topics=head`)
  expect(client.response.statusCode).toBe(502)
  expect(client.response.headers['retry-after']).toBe('1')
  await waitFor(() => expect(client.text()).toBe('{"code":502,"message":"The upstream is unreachable."}'))
  expect(multiplexers.upstreamStreams()).toBe(0)
  await node.start()
  expect((await readEvents(`${url}?topics=head`)).response.statusCode).toBe(200)
})

test('an upstream rejection is passed to all waiting clients and not cached', async () => {
  const node = await eventServer()
  const { url, multiplexers, counts } = await eventGateway([node])
  node.serve(async (_, response) => {
    await waitFor(() => expect(counts.requests).toBeGreaterThanOrEqual(3))
    sendJson(response, { code: 400, message: 'Invalid topic: x' }, 400)
  })
  const clients = await Promise.all(Array.from({ length: 3 }, () => readEvents(`${url}?topics=x`)))
  for (const client of clients) {
    expect(client.response.statusCode).toBe(400)
    await waitFor(() => expect(client.text()).toBe('{"code":400,"message":"Invalid topic: x"}'))
  }
  expect(node.requests).toHaveLength(1)
  expect(multiplexers.upstreamStreams()).toBe(0)
  await readEvents(`${url}?topics=x`)
  expect(node.requests).toHaveLength(2)
})

test('a response that is not an event stream is an upstream failure', async () => {
  const node = await eventServer()
  const { url } = await eventGateway([node])
  node.serve((_, response) => sendJson(response, { data: [] }))
  expect((await readEvents(`${url}?topics=head`)).response.statusCode).toBe(502)
})

test('clients are served when an upstream sends no headers before its first event', async () => {
  const node = await eventServer()
  const { url } = await eventGateway([node], { headersTimeoutMs: 200 })
  let send = () => {}
  node.serve((_, response) => {
    response.setHeader('content-type', 'text/event-stream')
    send = () => response.write(head(1))
  })
  const client = await readEvents(`${url}?topics=head`)
  expect(client.response.statusCode).toBe(200)
  expect(client.received().toString()).not.toContain('event')
  send()
  await waitFor(() => expect(client.received().toString()).toBe(head(1)))
})

test('uses the best upstream, and the next one when it disconnects or fails', async () => {
  const [a, b, c, d] = [await eventServer(), await eventServer(), await eventServer(), await eventServer()]
  a.health.is_syncing = true
  b.serve((request) => request.socket.destroy())
  c.serve((_, response) => sendJson(response, { code: 503, message: 'not now' }, 503))
  const { url } = await eventGateway([a, b, c, d])
  expect((await readEvents(`${url}?topics=head`)).response.statusCode).toBe(200)
  expect([a, b, c, d].map(({ requests }) => requests.length)).toEqual([0, 1, 1, 1])
})

test('an upstream that sends events is not health checked', async () => {
  fakeTimers()
  const node = await eventServer()
  const { url } = await eventGateway([node], { silenceMs: 1_500 })
  const client = await readEvents(`${url}?topics=head`)
  let sent = ''
  for (let slot = 1; slot <= 3; slot += 1) {
    vi.advanceTimersByTime(1_499)
    sent += head(slot)
    node.send(head(slot))
    await waitWithoutTimers(() => client.received().toString() === sent)
  }
  await processSocketData(10)
  expect(node.checks).toBe(0)
  vi.advanceTimersByTime(1_500)
  await waitWithoutTimers(() => node.checks === 1)
  expect(client.end()).toBeUndefined()
})

test('an idle client receives keep-alive comments', async () => {
  fakeTimers()
  const node = await eventServer()
  const { url } = await eventGateway([node], { keepAliveMs: 1_000 })
  const client = await readEvents(`${url}?topics=head`)
  let sent = ''
  for (let slot = 1; slot <= 3; slot += 1) {
    vi.advanceTimersByTime(999)
    sent += head(slot)
    node.send(head(slot))
    await waitWithoutTimers(() => client.received().length >= sent.length)
  }
  expect(client.received().toString()).toBe(sent)
  vi.advanceTimersByTime(2_000)
  await waitWithoutTimers(() => client.received().toString() === `${sent}:\n\n:\n\n`)
})

test('a silent upstream keeps its stream while it is healthy and loses it when it is not', async () => {
  const node = await eventServer()
  const { url } = await eventGateway([node], { silenceMs: 100 })
  const client = await readEvents(`${url}?topics=voluntary_exit`)
  await waitFor(() => expect(node.checks).toBeGreaterThan(3))
  expect(client.end()).toBeUndefined()
  node.health.head_slot = 'nowhere'
  await waitFor(() => expect(client.end()).toBe('complete'))
  expect(client.text()).toContain(ended)
  await waitFor(() => expect(node.streams.size).toBe(0))
})

test('a thousand clients share one stream and reconnect after an upstream restart', async () => {
  const node = await eventServer()
  const { url, counts } = await eventGateway([node])
  const openAll = async () => {
    const clients: EventReader[] = []
    for (let opened = 0; opened < 1_000; opened += 100) {
      clients.push(
        ...(await Promise.all(Array.from({ length: 100 }, () => readEvents(`${url}?topics=head`)))),
      )
    }
    return clients
  }
  const clients = await openAll()
  expect(node.streams.size).toBe(1)
  let sent = ''
  for (let slot = 0; slot < 20; slot++) {
    sent += head(slot)
    node.send(head(slot))
  }
  const upToDate = (readers: readonly EventReader[]) =>
    readers.filter((client) => client.received().toString() === sent).length
  await waitFor(() => expect(upToDate(clients)).toBe(1_000))
  await node.stop()
  await waitFor(() => expect(clients.filter((client) => client.end() === 'complete')).toHaveLength(1_000))
  await waitFor(() => expect(counts.open).toBe(0))
  await node.start()
  const reconnected = await openAll()
  expect(node.streams.size).toBe(1)
  sent = head(99)
  node.send(sent)
  await waitFor(() => expect(upToDate(reconnected)).toBe(1_000))
})
