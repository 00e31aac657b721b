import { expect, onTestFinished, test, vi } from 'vitest'
import { processSocketData, waitFor, waitWithoutTimers } from '@fairlead/vitest/wait-for'
import { eventGateway } from '../testing/event-gateway.ts'
import { readEvents } from '../testing/event-reader.ts'
import { eventServer } from '../testing/event-server.ts'

const head = 'event: head\ndata: {"slot":"7"}\n\n'

test('a slow client is disconnected, and the others continue', async () => {
  const node = await eventServer()
  const { url, counts } = await eventGateway([node], {}, 262_144)
  const slow = await readEvents(`${url}?topics=head`, false)
  const fast = await readEvents(`${url}?topics=head`)
  const large = `data: ${'x'.repeat(65_536)}\n\n`
  let sent = 0
  while (counts.slowClients === 0 && sent < 1_000) {
    node.send(large)
    sent += 1
    await processSocketData()
  }
  expect(counts.slowClients).toBe(1)
  await waitFor(() => expect(counts.open).toBe(1))
  node.send(head)
  await waitFor(() => expect(fast.received().length).toBe(sent * large.length + head.length))
  slow.response.resume()
  await waitFor(() => expect(slow.end()).toBe('broken'))
})

test('a client that may not hold more memory is disconnected, and its memory is released', async () => {
  const node = await eventServer()
  let reserved = 0
  const resize = (bytes: number) => {
    if (bytes > 200_000) return false
    reserved = bytes
    return true
  }
  const release = () => void (reserved = 0)
  const memory = { reserve: () => ({ tryTake: () => undefined, resize, moveTo: () => true, release }) }
  const { url, counts } = await eventGateway([node], {}, 1 << 30, undefined, { memory })
  const slow = await readEvents(`${url}?topics=head`, false)
  const large = `data: ${'x'.repeat(65_536)}\n\n`
  let largest = 0
  for (let sent = 0; counts.slowClients === 0 && sent < 1_000; sent++) {
    node.send(large)
    await processSocketData()
    largest = Math.max(largest, reserved)
  }
  expect(counts.slowClients).toBe(1)
  expect(largest).toBeGreaterThan(65_536)
  await waitFor(() => expect(counts.open).toBe(0))
  expect(reserved).toBe(0)
  slow.disconnect()
})

test('a stalled client is disconnected after the end timeout', async () => {
  const node = await eventServer()
  const gateway = await eventGateway([node], {}, 64 * 1024 * 1024)
  const client = await readEvents(`${gateway.url}?topics=head`, false)
  const other = await readEvents(`${gateway.url}?topics=head`)
  const large = `data: ${'x'.repeat(4 * 1024 * 1024)}\n\n`
  for (let i = 0; i < 8; i++) node.send(large)
  // The operating system buffers a part of the data, and the rest waits for the client.
  await waitFor(() => expect(other.received().length).toBe(8 * large.length))
  other.disconnect()
  await waitFor(() => expect(gateway.counts.open).toBe(1))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  gateway.revoke()
  await vi.advanceTimersByTimeAsync(9_900)
  expect(gateway.counts.open).toBe(1)
  await vi.advanceTimersByTimeAsync(200)
  vi.useRealTimers()
  await waitFor(() => expect(gateway.counts.open).toBe(0))
  expect(client.end()).not.toBe('complete')
})

test('a stream continues while its upstream is one of the node', async () => {
  const [server, other] = [await eventServer(), await eventServer()]
  const gateway = await eventGateway([server])
  const client = await readEvents(`${gateway.url}?topics=head`)
  server.send(head)
  await waitFor(() => expect(client.received().toString()).toBe(head))
  for (const beacon of [`${other.url} ${server.url}`, `${server.url}#cordoned ${other.url}`]) {
    gateway.grant({ upstreams: { beacon } })
  }
  server.send(head)
  await waitFor(() => expect(client.received().toString()).toBe(head + head))
  expect(client.end()).toBeUndefined()
  // A client that connects now does not join the stream of the cordoned upstream.
  const next = await readEvents(`${gateway.url}?topics=head`)
  other.send(head)
  await waitFor(() => expect(next.received().toString()).toBe(head))
  gateway.grant({ upstreams: { beacon: other.url } })
  await waitFor(() =>
    expect(client.received().toString()).toBe(`${head}${head}: the upstreams of the node have changed\n\n`),
  )
})

test.each([
  [
    'revoked',
    (gateway: Awaited<ReturnType<typeof eventGateway>>) => gateway.revoke(),
    'the credential is no longer valid',
  ],
  [
    'of another protocol',
    (gateway: Awaited<ReturnType<typeof eventGateway>>) => gateway.grant({ protocols: ['evm'] }),
    'the node no longer offers this protocol',
  ],
  [
    'of a node that has moved',
    (gateway: Awaited<ReturnType<typeof eventGateway>>) =>
      gateway.grant({ upstreams: { beacon: 'http://127.0.0.1:1' } }),
    'the upstreams of the node have changed',
  ],
])('streams of a credential that is %s end immediately', async (_, change, reason) => {
  // No timer advances, so that the end depends on none.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const node = await eventServer()
  const gateway = await eventGateway([node])
  const client = await readEvents(`${gateway.url}?topics=head`)
  gateway.grant()
  node.send(head)
  await waitWithoutTimers(() => client.received().toString() === head)
  expect(client.end()).toBeUndefined()
  change(gateway)
  await waitWithoutTimers(() => client.end() !== undefined)
  expect(client.end()).toBe('complete')
  expect(client.received().toString()).toBe(`${head}: ${reason}\n\n`)
})

test('streams of a credential that expires end', async () => {
  const node = await eventServer()
  const gateway = await eventGateway([node])
  gateway.grant({ expiresAt: Date.now() + 500 })
  const client = await readEvents(`${gateway.url}?topics=head`)
  await waitFor(() => expect(client.end()).toBe('complete'))
  expect((await readEvents(`${gateway.url}?topics=head`)).response.statusCode).toBe(401)
})

test('a credential that is revoked while the stream opens receives no stream', async () => {
  const node = await eventServer()
  const gateway = await eventGateway([node], { headersTimeoutMs: 300 })
  node.serve(() => undefined)
  const rejected = readEvents(`${gateway.url}?topics=head`)
  const outcome = expect(rejected).rejects.toThrow('socket hang up')
  await waitFor(() => expect(node.requests).toHaveLength(1))
  gateway.revoke()
  await outcome
})

test('shutdown ends all streams and rejects new ones', async () => {
  const node = await eventServer()
  const { url, multiplexers, counts } = await eventGateway([node])
  const clients = await Promise.all([readEvents(`${url}?topics=head`), readEvents(`${url}?topics=block`)])
  await waitFor(() => expect(counts.open).toBe(2))
  multiplexers.close()
  for (const client of clients) {
    await waitFor(() => expect(client.end()).toBe('complete'))
    expect(client.received().toString()).toBe(': the gateway is restarting\n\n')
  }
  await waitFor(() => expect(node.streams.size).toBe(0))
  expect((await readEvents(`${url}?topics=head`)).response.statusCode).toBe(503)
})
