import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { waitFor } from '@fairlead/vitest/wait-for'
import { beaconServer, sendJson } from '../testing/beacon-server.ts'
import { eventGateway } from '../testing/event-gateway.ts'
import { readEvents } from '../testing/event-reader.ts'
import { type EventServer, eventServer } from '../testing/event-server.ts'
import { grantOf, testUpstreams } from '../testing/node-set.ts'

const head = 'event: head\ndata: {"slot":"7"}\n\n'
const open = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
const reject = (response: ServerResponse) => sendJson(response, { code: 400, message: 'no' }, 400)

/** An event server that does not respond yet. `pending` has the responses to send. */
async function pendingServer() {
  const server = await eventServer()
  const pending: ServerResponse[] = []
  server.serve((_, response) => pending.push(response))
  return { server, pending }
}

/** Lists before and after a change that removes the first upstream. */
const changes = [
  ['another one remains', (a: EventServer, b: EventServer) => [`${a.url} ${b.url}`, b.url]],
  ['no URL remains', (a: EventServer, b: EventServer) => [a.url, b.url]],
] as const

/** What the removed upstream does after the change, and the maximum wait for its headers. */
const outcomes = [
  ['opens the stream', open, 60_000],
  ['rejects the request', reject, 60_000],
  ['disconnects', (response: ServerResponse) => response.destroy(), 60_000],
  ['sends no headers', () => undefined, 1_000],
] as const

const cases = changes.flatMap(([change, listsOf]) =>
  outcomes.map(([outcome, ...rest]) => [change, outcome, listsOf, ...rest] as const),
)

test.each(cases)(
  'while a stream opens, its upstream is removed, %s, and it %s: clients get a stream of the other one',
  async (_, __, listsOf, respond, headersTimeoutMs) => {
    const [{ server: a, pending }, b] = [await pendingServer(), await eventServer()]
    const [before = '', after = ''] = listsOf(a, b)
    const gateway = await eventGateway([a, b], { headersTimeoutMs })
    gateway.grant({ upstreams: { beacon: before } })
    const opening = [readEvents(`${gateway.url}?topics=head`), readEvents(`${gateway.url}?topics=head`)]
    await waitFor(() => expect([gateway.counts.requests, pending.length]).toEqual([2, 1]))
    gateway.grant({ upstreams: { beacon: after } })
    for (const response of pending) respond(response)
    const clients = await Promise.all(opening)
    expect(clients.map(({ response }) => response.statusCode)).toEqual([200, 200])
    await waitFor(() => expect(b.streams.size).toBe(1))
    b.send(head)
    for (const client of clients) await waitFor(() => expect(client.received().toString()).toBe(head))
    // The request to the removed upstream ends.
    await waitFor(() => expect(gateway.multiplexers.upstreamStreams()).toBe(1))
    expect(b.requests).toHaveLength(1)
  },
)

test('a stream that nodes share continues for those whose list includes its upstream', async () => {
  const [a, b] = [await eventServer(), await eventServer()]
  const gateway = await eventGateway([a, b])
  const setLists = (lists: Readonly<Record<string, string>>) =>
    gateway.directory.replace(
      Object.entries(lists).map(([id, beacon]) => ({
        sha256: sha256Hex(id),
        grant: { ...grantOf([], id), nodeId: id, upstreams: { beacon } },
      })),
    )
  const shared = `${a.url} ${b.url}`
  setLists({ one: shared, two: shared })
  const clients = [
    await readEvents(`${gateway.url}?topics=head&credential=one`),
    await readEvents(`${gateway.url}?topics=head&credential=two`),
  ]
  let sent = ''
  for (const one of [a.url, `${a.url}#cordoned ${b.url}`, `${b.url} ${a.url}`]) {
    setLists({ one, two: shared })
    a.send(head)
    sent += head
    for (const client of clients) await waitFor(() => expect(client.received().toString()).toBe(sent))
  }
  setLists({ one: b.url, two: shared })
  a.send(head)
  await waitFor(() => expect(clients[1]?.received().toString()).toBe(sent + head))
  await waitFor(() =>
    expect(clients[0]?.received().toString()).toBe(`${sent}: the upstreams of the node have changed\n\n`),
  )
  expect([a.requests.length, b.requests.length]).toEqual([1, 0])
})

test('nodes that share an opening stream receive only events of their upstreams', async () => {
  const [{ server: a, pending }, b, c] = [await pendingServer(), await eventServer(), await eventServer()]
  const gateway = await eventGateway([a, b], { headersTimeoutMs: 60_000 })
  const setLists = (lists: Readonly<Record<string, string>>) =>
    gateway.directory.replace(
      Object.entries(lists).map(([id, beacon]) => ({
        sha256: sha256Hex(id),
        grant: { ...grantOf([], id), nodeId: id, upstreams: { beacon } },
      })),
    )
  const read = (id: string) => readEvents(`${gateway.url}?topics=head&credential=${id}`)
  const shared = `${a.url} ${b.url}`
  const ofOne = `${c.url} ${a.url}#cordoned`
  setLists({ one: shared, two: shared })
  const opening = [read('one'), read('two')] as const
  await waitFor(() => expect([gateway.counts.requests, pending.length]).toEqual([2, 1]))
  setLists({ one: ofOne, two: shared })
  setLists({ one: ofOne, two: b.url })
  for (const response of pending) open(response)
  const clients = [...(await Promise.all(opening)), await read('one'), await read('two')]
  expect(clients.map(({ response }) => response.statusCode)).toEqual([200, 200, 200, 200])
  await waitFor(() => expect([b.streams.size, c.streams.size]).toEqual([1, 1]))
  b.send(': b\n\n')
  c.send(': c\n\n')
  for (const [index, events] of [': c\n\n', ': b\n\n', ': c\n\n', ': b\n\n'].entries())
    await waitFor(() => expect(clients[index]?.received().toString()).toBe(events))
})

test('the upstreams to try are those of the list after a change', async () => {
  const [a, b, c] = [await beaconServer(), await beaconServer(), await beaconServer()]
  const all = testUpstreams()
  const nodes = all.of(grantOf([a, b]))
  const ranked = nodes.ranked()
  expect(all.of(grantOf([c, b]))).toBe(nodes)
  expect((await ranked).map((upstream) => nodes.uses(upstream))).toEqual([true, true])
})

test('clients of an opening stream receive an error when the node has no upstream any longer', async () => {
  const { server, pending } = await pendingServer()
  const gateway = await eventGateway([server], { headersTimeoutMs: 60_000 })
  const opening = readEvents(`${gateway.url}?topics=head`)
  await waitFor(() => expect(pending).toHaveLength(1))
  gateway.grant({ upstreams: {} })
  for (const response of pending) open(response)
  const client = await opening
  expect(client.response.statusCode).toBe(503)
  await waitFor(() =>
    expect(client.text()).toBe('{"code":503,"message":"This node has no upstream for beacon."}'),
  )
})

test('shutdown ends an opening stream whose upstream was removed', async () => {
  const [{ server: a, pending }, b] = [await pendingServer(), await eventServer()]
  const gateway = await eventGateway([a], { headersTimeoutMs: 60_000 })
  const opening = readEvents(`${gateway.url}?topics=head`)
  await waitFor(() => expect(pending).toHaveLength(1))
  gateway.grant({ upstreams: { beacon: b.url } })
  gateway.multiplexers.close()
  expect((await opening).response.statusCode).toBe(503)
  expect(b.requests).toEqual([])
})
