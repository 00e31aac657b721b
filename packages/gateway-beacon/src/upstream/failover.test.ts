import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { processSocketData, waitFor } from '@fairlead/vitest/wait-for'
import { healthTimes } from '@fairlead/gateway-core/upstream/steady-pool'
import { sendJson, type BeaconServer, beaconServer } from '../testing/beacon-server.ts'
import { testUpstreams, sendCall, grantOf } from '../testing/node-set.ts'

const read = { target: '/eth/v1/beacon/states/head/root' }
const publish = {
  method: 'POST',
  target: '/eth/v2/beacon/blocks',
  body: Buffer.from('{}'),
} as const
const postedRead = {
  method: 'POST',
  target: '/eth/v1/validator/duties/attester/3',
  body: Buffer.from('["1"]'),
} as const

async function twoNodes() {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  return { a, b, nodes: testUpstreams().of(grantOf([a, b])) }
}

test('a single upstream is not health checked', async () => {
  const a = await beaconServer('a')
  const nodes = testUpstreams().of(grantOf([a]))
  a.serve((_, response) => sendJson(response, { code: 503, message: 'syncing' }, 503))
  expect(await sendCall(nodes, read)).toMatchObject({ status: 503 })
  await a.stop()
  await expect(sendCall(nodes, read)).rejects.toMatchObject({ status: 502 })
  await a.start()
  const two = await twoNodes()
  await sendCall(two.nodes, read)
  await waitFor(() => expect(two.a.checks).toBeGreaterThan(2))
  expect(a.checks).toBe(0)
})

test('the first configured upstream is used while all are equal', async () => {
  const { a, b, nodes } = await twoNodes()
  for (let i = 0; i < 5; i++) expect((await sendCall(nodes, read)).text).toBe('{"data":"a"}')
  expect([a.requests.length, b.requests.length]).toEqual([5, 0])
  expect(b.checks).toBeGreaterThan(0)
})

test.each([
  ['syncs', { is_syncing: true }],
  ['lags', { head_slot: '97' }],
  ['is optimistic', { is_optimistic: true }],
  ['has no execution client', { el_offline: true }],
])('the first call already skips an upstream that %s', async (_, health) => {
  const { a, nodes } = await twoNodes()
  Object.assign(a.health, health)
  expect((await sendCall(nodes, read)).text).toBe('{"data":"b"}')
  expect(a.requests).toEqual([])
})

test('the selected upstream does not change after a small lead of another one or the recovery of the first one', async () => {
  const { a, b, nodes } = await twoNodes()
  a.health.is_syncing = true
  expect((await sendCall(nodes, read)).text).toBe('{"data":"b"}')
  a.health.is_syncing = false
  a.health.head_slot = '102'
  const checks = a.checks
  await waitFor(() => expect(a.checks).toBeGreaterThan(checks + 2))
  expect((await sendCall(nodes, read)).text).toBe('{"data":"b"}')
  a.health.head_slot = '103'
  await waitFor(async () => expect((await sendCall(nodes, read)).text).toBe('{"data":"a"}'))
  b.health.head_slot = '105'
  const before = b.checks
  await waitFor(() => expect(b.checks).toBeGreaterThan(before + 2))
  expect((await sendCall(nodes, read)).text).toBe('{"data":"a"}')
})

test.each([
  ['a read', read],
  ['a read by POST', postedRead],
  ['a publication', publish],
])('%s is sent to the next upstream when the first one refuses connections', async (_, call) => {
  const { a, b, nodes } = await twoNodes()
  await sendCall(nodes, read)
  await a.stop()
  // A request on a connection that has just ended may have arrived.
  await processSocketData()
  expect(await sendCall(nodes, call)).toMatchObject({ status: 200, text: '{"data":"b"}' })
  expect(b.requests).toEqual([`${'method' in call ? call.method : 'GET'} ${call.target}`])
})

test('a failed upstream is deprioritized for a while, and the choice stays when it recovers', async () => {
  const { a, b, nodes } = await twoNodes()
  await sendCall(nodes, read)
  await a.stop()
  await sendCall(nodes, read)
  await a.start()
  const checks = a.checks
  await waitFor(() => expect(a.checks).toBeGreaterThan(checks + 8))
  await sendCall(nodes, read)
  expect(b.requests).toHaveLength(2)
  await b.stop()
  expect((await sendCall(nodes, read)).text).toBe('{"data":"a"}')
})

test.each([500, 502, 503, 504])('a read is retried at the next upstream after status %i', async (status) => {
  const { a, nodes } = await twoNodes()
  a.serve((_, response) => sendJson(response, { code: status, message: 'no' }, status))
  expect(await sendCall(nodes, read)).toMatchObject({ status: 200, text: '{"data":"b"}' })
  expect(await sendCall(nodes, postedRead)).toMatchObject({ status: 200, text: '{"data":"b"}' })
  // One failed response is no evidence of an unhealthy upstream: it still receives calls that it can serve.
  expect(a.requests).toHaveLength(2)
})

test('a read is retried after status 429, and the upstream is skipped until retry-after', async () => {
  const { a, b, nodes } = await twoNodes()
  a.serve((_, response) => {
    response.setHeader('retry-after', '60')
    sendJson(response, { code: 429, message: 'no' }, 429)
  })
  expect(await sendCall(nodes, read)).toMatchObject({ status: 200, text: '{"data":"b"}' })
  expect(await sendCall(nodes, postedRead)).toMatchObject({ status: 200, text: '{"data":"b"}' })
  expect([a.requests.length, b.requests.length]).toEqual([1, 2])
})

test.each([400, 404, 406])('no call is retried after status %i', async (status) => {
  const { a, b, nodes } = await twoNodes()
  a.serve((_, response) => sendJson(response, { code: status, message: 'no' }, status))
  expect(await sendCall(nodes, read)).toMatchObject({ status })
  expect(b.requests).toEqual([])
})

test('a read is retried once', async () => {
  const servers = [await beaconServer('a'), await beaconServer('b'), await beaconServer('c')]
  for (const server of servers) {
    server.serve((_, response) => sendJson(response, { code: 500, message: 'no' }, 500))
  }
  const nodes = testUpstreams().of(grantOf(servers))
  expect(await sendCall(nodes, read)).toMatchObject({ status: 500 })
  expect(servers.map(({ requests }) => requests.length)).toEqual([1, 1, 0])
})

test('a read is retried when the connection closes before the response', async () => {
  const { a, b, nodes } = await twoNodes()
  a.serve((request) => request.socket.destroy())
  expect((await sendCall(nodes, read)).text).toBe('{"data":"b"}')
  expect(a.requests.length).toBeGreaterThan(0)
  expect(b.requests).toHaveLength(1)
})

test('a publication is not retried when the connection closes before the response', async () => {
  const { a, b, nodes } = await twoNodes()
  a.serve((request) => request.socket.destroy())
  await expect(sendCall(nodes, publish)).rejects.toMatchObject({ status: 502 })
  expect([a.requests.length, b.requests.length]).toEqual([1, 0])
})

test.each([500, 503, 429])('a publication is not retried after status %i', async (status) => {
  const { a, b, nodes } = await twoNodes()
  a.serve((_, response) => sendJson(response, { code: status, message: 'no' }, status))
  expect(await sendCall(nodes, publish)).toMatchObject({ status })
  expect(b.requests).toEqual([])
})

test('a read is retried after a timeout, a publication is not', async () => {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  const nodes = testUpstreams({ timeoutMs: 600 }).of(grantOf([a, b]))
  a.serve(() => undefined)
  expect((await sendCall(nodes, read)).text).toBe('{"data":"b"}')
  await expect(sendCall(nodes, publish)).rejects.toMatchObject({ status: 504 })
  expect([a.requests.length, b.requests.length]).toEqual([2, 1])
})

test('reads that wait for a hanging upstream are retried before their timeout', async () => {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  const nodes = testUpstreams({ timeoutMs: 60_000 }).of(grantOf([a, b]))
  await sendCall(nodes, read)
  a.hang()
  const texts = await Promise.all([1, 2, 3].map(async () => (await sendCall(nodes, read)).text))
  expect(texts).toEqual(['{"data":"b"}', '{"data":"b"}', '{"data":"b"}'])
})

test.each([
  ['stalls', (response: ServerResponse) => response.write('{"data":')],
  ['is truncated', (response: ServerResponse) => response.write('{"data":', () => response.destroy())],
])('a read whose short response %s is retried at the next upstream', async (_, begin) => {
  const { a, b, nodes } = await twoNodes()
  a.serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '14' })
    begin(response)
  })
  expect((await sendCall(nodes, read)).text).toBe('{"data":"b"}')
  expect([a.requests.length > 0, b.requests.length]).toEqual([true, 1])
})

const respondWith = (status: number, type: string) => (_: unknown, response: ServerResponse) =>
  response.writeHead(status, { 'content-type': type }).end('{}')

const media = { api: 'beacon node API', types: ['application/json'] }

test('a read is retried when the response has another media type, a publication is not', async () => {
  const { a, b, nodes } = await twoNodes()
  a.serve(respondWith(200, 'text/html'))
  expect((await sendCall(nodes, { ...read, media })).text).toBe('{"data":"b"}')
  await sendCall(nodes, { ...publish, media })
  expect(b.requests).toHaveLength(2)
  b.serve(respondWith(200, 'text/html'))
  await expect(sendCall(nodes, { ...publish, media })).rejects.toMatchObject({ status: 502 })
  expect([a.requests.length, b.requests.length]).toEqual([1, 3])
})

test.each<readonly [string, (server: BeaconServer) => void]>([
  ['responds with status 500', (server) => server.serve(respondWith(500, 'application/json'))],
  ['responds with status 429', (server) => server.serve(respondWith(429, 'application/json'))],
  ['responds with another media type', (server) => server.serve(respondWith(200, 'text/html'))],
  ['disconnects', (server) => server.serve((_, response) => response.destroy())],
  ['does not respond', (server) => server.hang()],
])('a read is sent to an upstream that has just recovered when the other one %s', async (_, fail) => {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  const times = { ...healthTimes, intervalMs: 60_000 }
  const nodes = testUpstreams({ timeoutMs: 120_000, times }).of(grantOf([a, b]))
  await sendCall(nodes, read)
  await a.stop()
  await processSocketData()
  await sendCall(nodes, read)
  await a.start()
  fail(b)
  expect((await sendCall(nodes, { ...read, media })).text).toBe('{"data":"a"}')
})

test('an upstream that fails reads is skipped after five of them, if another one serves them', async () => {
  const { a, b, nodes } = await twoNodes()
  a.serve(respondWith(500, 'application/json'))
  for (let calls = 0; calls < 10; calls += 1) expect((await sendCall(nodes, read)).text).toBe('{"data":"b"}')
  expect([a.requests.length, b.requests.length]).toEqual([5, 10])
})

test('errors that all upstreams have do not count against them', async () => {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  const all = testUpstreams()
  const grant = grantOf([a, b])
  for (const server of [a, b]) server.serve(respondWith(500, 'application/json'))
  for (let calls = 0; calls < 10; calls += 1) await sendCall(all.of(grant), read)
  expect(all.statesOf(grant)).toMatchObject([
    { class: 'ready', failures: 0 },
    { class: 'ready', failures: 0 },
  ])
})

test('a node whose upstreams are all cordoned responds 503', async () => {
  const { url } = await beaconServer('a')
  const nodes = testUpstreams().of({ ...grantOf([]), upstreams: { beacon: `${url}#cordoned` } })
  const error = {
    status: 503,
    message: 'No upstream of this node is available: all are cordoned or on another chain.',
  }
  await expect(sendCall(nodes, read)).rejects.toMatchObject(error)
  await expect(nodes.ranked()).rejects.toMatchObject(error)
})

test('reports the states of all nodes, and of a single one', async () => {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  const all = testUpstreams()
  const [one, two] = [grantOf([a]), { ...grantOf([a, b]), nodeId: 'two' }]
  const first = { field: 'beacon', position: 0 }
  expect(all.statesOf(one)).toMatchObject([{ ...first, class: 'unknown', head: undefined }])
  await waitFor(() => expect(all.statesOf(one)).toMatchObject([{ class: 'ready', head: 100, lag: 0 }]))
  b.health.head_slot = '97'
  await sendCall(all.of(two), read)
  expect(all.statesOf(two)).toMatchObject([
    { ...first, class: 'ready', head: 100, lag: 0, calls: 1 },
    { ...first, position: 1, class: 'lagging', head: 97, lag: 3, calls: 0 },
  ])
  const states = all.states()
  expect(states.map(({ nodes }) => nodes)).toEqual([['node'], ['two'], ['two']])
  // Both nodes have the first upstream, and each of its calls counts once.
  expect([states[0]?.id, states[0]?.calls]).toEqual([states[1]?.id, 1])
  expect(all.statesOf({ ...two, upstreams: {} })).toEqual([])
})

test('nodes with the same upstreams share them until the upstreams of one node change', async () => {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  const all = testUpstreams()
  const [one, two] = [grantOf([a, b]), { ...grantOf([a, b]), nodeId: 'two' }]
  expect(all.of(one)).toBe(all.of(two))
  expect(all.states().map(({ nodes }) => nodes)).toEqual([
    ['node', 'two'],
    ['node', 'two'],
  ])
  await sendCall(all.of(one), read)
  const before = all.states()[0]
  const moved = all.of({ ...grantOf([a]), nodeId: 'two' })
  expect(all.states().map(({ nodes, position }) => [nodes, position])).toEqual([
    [['node'], 0],
    [['node'], 1],
    [['two'], 0],
  ])
  // The state of the upstream that the node still uses is preserved.
  expect(all.states()[2]).toMatchObject({ id: before?.id, class: 'ready', calls: before?.calls })
  await sendCall(moved, read)
  all.of({ ...grantOf([a]), nodeId: 'node' })
  expect(all.states().map(({ nodes }) => nodes)).toEqual([['two', 'node']])
})

test('an upstream that responds 503 while it syncs is skipped afterwards', async () => {
  const { a, b, nodes } = await twoNodes()
  await sendCall(nodes, read)
  a.health.is_syncing = true
  a.serve((_, response) => sendJson(response, { code: 503, message: 'syncing' }, 503))
  expect((await sendCall(nodes, read)).text).toBe('{"data":"b"}')
  await waitFor(async () => {
    const before = a.requests.length
    await sendCall(nodes, read)
    expect(a.requests.length).toBe(before)
  })
  expect(b.requests.length).toBeGreaterThan(1)
})

test('an error response is passed on when the other upstream is known to be down', async () => {
  const { a, b, nodes } = await twoNodes()
  await b.stop()
  await sendCall(nodes, read)
  a.serve((_, response) => sendJson(response, { code: 500, message: 'no' }, 500))
  expect(await sendCall(nodes, read)).toMatchObject({ status: 500 })
})

test('calls fail while all upstreams are down and succeed when one recovers', async () => {
  const { a, b, nodes } = await twoNodes()
  await Promise.all([a.stop(), b.stop()])
  await expect(sendCall(nodes, read)).rejects.toMatchObject({ status: 502 })
  await b.start()
  await waitFor(async () => expect((await sendCall(nodes, read)).text).toBe('{"data":"b"}'))
})

test('a call of a disconnected client is not retried and is no upstream failure', async () => {
  const { a, b, nodes } = await twoNodes()
  const controller = new AbortController()
  a.serve(() => controller.abort())
  await expect(sendCall(nodes, { ...read, signal: controller.signal })).rejects.toBeInstanceOf(Error)
  a.serve((_, response) => sendJson(response, { data: 'a' }))
  expect((await sendCall(nodes, read)).text).toBe('{"data":"a"}')
  expect(b.requests).toEqual([])
})

test('an upstream that hangs completely is replaced after its next health check', async () => {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  const times = { intervalMs: 50, checkTimeoutMs: 100, firstRoundMs: 500, idleMs: 60_000 }
  const nodes = testUpstreams({ times }).of(grantOf([a, b]))
  await sendCall(nodes, read)
  a.hang()
  await waitFor(async () => expect((await sendCall(nodes, read)).text).toBe('{"data":"b"}'))
})

test('health checks stop when calls stop, and when the upstreams are closed', async () => {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  const times = { intervalMs: 50, checkTimeoutMs: 500, firstRoundMs: 500, idleMs: 200 }
  const all = testUpstreams({ times })
  // On a busy machine, the idle time after a single call may elapse before the third round.
  await waitFor(async () => {
    await sendCall(all.of(grantOf([a, b])), read)
    expect(a.checks).toBeGreaterThan(2)
  })
  // Health check rounds of other nodes, which continue.
  const [c, d] = [await beaconServer('c'), await beaconServer('d')]
  await sendCall(testUpstreams({ times: { ...times, idleMs: 60_000 } }).of(grantOf([c, d])), read)
  const rounds = async (count: number) => {
    const from = c.checks
    await waitFor(() => expect(c.checks).toBeGreaterThan(from + count))
  }
  await waitFor(async () => {
    const before = a.checks
    await rounds(4)
    expect(a.checks).toBe(before)
  })
  // The first call after that waits for a new health check.
  a.health.is_syncing = true
  expect((await sendCall(all.of(grantOf([a, b])), read)).text).toBe('{"data":"b"}')
  await all.close()
  const closed = b.checks
  await rounds(4)
  expect(b.checks).toBe(closed)
})

test('devnet selects the embedded chain, and unusable upstreams are errors', async () => {
  const a = await beaconServer('a')
  const all = testUpstreams({ embedded: a.url })
  expect((await sendCall(all.of({ ...grantOf([]), upstreams: { beacon: 'devnet' } }), read)).text).toContain(
    'a',
  )
  await all.checkEmbedded(AbortSignal.timeout(1_000))
  await a.stop()
  await expect(all.checkEmbedded(AbortSignal.timeout(1_000))).rejects.toBeInstanceOf(Error)
  expect(() => all.of({ ...grantOf([]), upstreams: {} })).toThrow('This node has no upstream for beacon.')
  expect(() => all.of(grantOf([{ url: 'user:pass-word' }]))).toThrow(/^An upstream URL of this node/)
})
