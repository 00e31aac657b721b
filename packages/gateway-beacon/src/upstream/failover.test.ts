import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { handleArrived, waitFor } from '@fairlead/vitest/wait-for'
import { answerJson, beaconServer } from '../testing/beacon-server.ts'
import { allNodes, askFor, grantOf } from '../testing/node-set.ts'

const read = { target: '/eth/v1/beacon/states/head/root' }
const publish = {
  method: 'POST',
  target: '/eth/v2/beacon/blocks',
  operationId: 'publishBlockV2',
  body: Buffer.from('{}'),
} as const
const postedRead = {
  method: 'POST',
  target: '/eth/v1/validator/duties/attester/3',
  operationId: 'getAttesterDuties',
  body: Buffer.from('["1"]'),
} as const

async function twoNodes() {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  return { a, b, nodes: allNodes().of(grantOf([a, b])) }
}

test('a single node is never asked for its health', async () => {
  const a = await beaconServer('a')
  const nodes = allNodes().of(grantOf([a]))
  a.serve((_, response) => answerJson(response, { code: 503, message: 'syncing' }, 503))
  expect(await askFor(nodes, read)).toMatchObject({ status: 503 })
  await a.stop()
  await expect(askFor(nodes, read)).rejects.toMatchObject({ status: 502 })
  await a.start()
  const two = await twoNodes()
  await askFor(two.nodes, read)
  await waitFor(() => expect(two.a.checks).toBeGreaterThan(2))
  expect(a.checks).toBe(0)
})

test('the first of the configuration is used while the nodes are equal', async () => {
  const { a, b, nodes } = await twoNodes()
  for (let i = 0; i < 5; i++) expect((await askFor(nodes, read)).text).toBe('{"data":"a"}')
  expect([a.asked.length, b.asked.length]).toEqual([5, 0])
  expect(b.checks).toBeGreaterThan(0)
})

test.each([
  ['syncs', { is_syncing: true }],
  ['lags', { head_slot: '97' }],
  ['is optimistic', { is_optimistic: true }],
  ['has lost its execution client', { el_offline: true }],
])('already the first call passes by a node that %s', async (_, health) => {
  const { a, nodes } = await twoNodes()
  Object.assign(a.health, health)
  expect((await askFor(nodes, read)).text).toBe('{"data":"b"}')
  expect(a.asked).toEqual([])
})

test('the choice stays: neither a small lead nor the return of the first one moves it', async () => {
  const { a, b, nodes } = await twoNodes()
  a.health.is_syncing = true
  expect((await askFor(nodes, read)).text).toBe('{"data":"b"}')
  a.health.is_syncing = false
  a.health.head_slot = '102'
  const checks = a.checks
  await waitFor(() => expect(a.checks).toBeGreaterThan(checks + 2))
  expect((await askFor(nodes, read)).text).toBe('{"data":"b"}')
  a.health.head_slot = '103'
  await waitFor(async () => expect((await askFor(nodes, read)).text).toBe('{"data":"a"}'))
  b.health.head_slot = '105'
  const before = b.checks
  await waitFor(() => expect(b.checks).toBeGreaterThan(before + 2))
  expect((await askFor(nodes, read)).text).toBe('{"data":"a"}')
})

test.each([
  ['a read', read],
  ['a read that is posted', postedRead],
  ['a publication', publish],
])('%s goes to the next node when the first cannot be connected to', async (_, call) => {
  const { a, b, nodes } = await twoNodes()
  await askFor(nodes, read)
  await a.stop()
  // A request on a connection that has just ended may have arrived.
  await handleArrived()
  expect(await askFor(nodes, call)).toMatchObject({ status: 200, text: '{"data":"b"}' })
  expect(b.asked).toEqual([`${'method' in call ? call.method : 'GET'} ${call.target}`])
})

test('whoever failed stands behind for a while, and the choice stays when it is back', async () => {
  const { a, b, nodes } = await twoNodes()
  await askFor(nodes, read)
  await a.stop()
  await askFor(nodes, read)
  await a.start()
  const checks = a.checks
  await waitFor(() => expect(a.checks).toBeGreaterThan(checks + 8))
  await askFor(nodes, read)
  expect(b.asked).toHaveLength(2)
  await b.stop()
  expect((await askFor(nodes, read)).text).toBe('{"data":"a"}')
})

test.each([500, 502, 503, 504])('a read moves on when a node answers %i', async (status) => {
  const { a, nodes } = await twoNodes()
  a.serve((_, response) => answerJson(response, { code: status, message: 'no' }, status))
  expect(await askFor(nodes, read)).toMatchObject({ status: 200, text: '{"data":"b"}' })
  expect(await askFor(nodes, postedRead)).toMatchObject({ status: 200, text: '{"data":"b"}' })
  // One failed response is no evidence of an unhealthy upstream: it still receives calls that it can serve.
  expect(a.asked).toHaveLength(2)
})

test('a read moves on when a node answers 429, and the node is left alone for as long as it says', async () => {
  const { a, b, nodes } = await twoNodes()
  a.serve((_, response) => {
    response.setHeader('retry-after', '60')
    answerJson(response, { code: 429, message: 'no' }, 429)
  })
  expect(await askFor(nodes, read)).toMatchObject({ status: 200, text: '{"data":"b"}' })
  expect(await askFor(nodes, postedRead)).toMatchObject({ status: 200, text: '{"data":"b"}' })
  expect([a.asked.length, b.asked.length]).toEqual([1, 2])
})

test.each([400, 404, 406])('nothing moves on when a node answers %i', async (status) => {
  const { a, b, nodes } = await twoNodes()
  a.serve((_, response) => answerJson(response, { code: status, message: 'no' }, status))
  expect(await askFor(nodes, read)).toMatchObject({ status })
  expect(b.asked).toEqual([])
})

test('a read moves on once', async () => {
  const servers = [await beaconServer('a'), await beaconServer('b'), await beaconServer('c')]
  for (const server of servers) {
    server.serve((_, response) => answerJson(response, { code: 500, message: 'no' }, 500))
  }
  const nodes = allNodes().of(grantOf(servers))
  expect(await askFor(nodes, read)).toMatchObject({ status: 500 })
  expect(servers.map(({ asked }) => asked.length)).toEqual([1, 1, 0])
})

test('a read moves on when the connection breaks before the answer', async () => {
  const { a, b, nodes } = await twoNodes()
  a.serve((request) => request.socket.destroy())
  expect((await askFor(nodes, read)).text).toBe('{"data":"b"}')
  expect(a.asked.length).toBeGreaterThan(0)
  expect(b.asked).toHaveLength(1)
})

test('a publication does not move on when the connection breaks before the answer', async () => {
  const { a, b, nodes } = await twoNodes()
  a.serve((request) => request.socket.destroy())
  await expect(askFor(nodes, publish)).rejects.toMatchObject({ status: 502 })
  expect([a.asked.length, b.asked.length]).toEqual([1, 0])
})

test.each([500, 503, 429])('a publication is answered by one node alone, also with %i', async (status) => {
  const { a, b, nodes } = await twoNodes()
  a.serve((_, response) => answerJson(response, { code: status, message: 'no' }, status))
  expect(await askFor(nodes, publish)).toMatchObject({ status })
  expect(b.asked).toEqual([])
})

test('a read that a node takes too long for goes to the next one, a publication does not', async () => {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  const nodes = allNodes({ timeoutMs: 600 }).of(grantOf([a, b]))
  a.serve(() => undefined)
  expect((await askFor(nodes, read)).text).toBe('{"data":"b"}')
  await expect(askFor(nodes, publish)).rejects.toMatchObject({ status: 504 })
  expect([a.asked.length, b.asked.length]).toEqual([2, 1])
})

test('reads that wait for a node which hangs go to the next one, long before their time is up', async () => {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  const nodes = allNodes({ timeoutMs: 60_000 }).of(grantOf([a, b]))
  await askFor(nodes, read)
  a.hang()
  const texts = await Promise.all([1, 2, 3].map(async () => (await askFor(nodes, read)).text))
  expect(texts).toEqual(['{"data":"b"}', '{"data":"b"}', '{"data":"b"}'])
})

test.each([
  ['stops', (response: ServerResponse) => response.write('{"data":')],
  ['breaks off', (response: ServerResponse) => response.write('{"data":', () => response.destroy())],
])('a read whose short response %s goes to the next node', async (_, begin) => {
  const { a, b, nodes } = await twoNodes()
  a.serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '14' })
    begin(response)
  })
  expect((await askFor(nodes, read)).text).toBe('{"data":"b"}')
  expect([a.asked.length > 0, b.asked.length]).toEqual([true, 1])
})

test('a node whose upstreams are all cordoned says so', async () => {
  const { url } = await beaconServer('a')
  const nodes = allNodes().of({ ...grantOf([]), upstreams: { beacon: `${url}#cordoned` } })
  const error = { status: 503, message: 'No upstream of this node is in use.' }
  await expect(askFor(nodes, read)).rejects.toMatchObject(error)
  await expect(nodes.ranked()).rejects.toMatchObject(error)
})

test('the states of several nodes can be read, and of a single one', async () => {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  const all = allNodes()
  const [one, two] = [grantOf([a]), { ...grantOf([a, b]), nodeId: 'two' }]
  const place = { field: 'beacon', position: 0 }
  expect(all.statesOf(one)).toMatchObject([{ ...place, class: 'unknown', head: undefined }])
  await waitFor(() => expect(all.statesOf(one)).toMatchObject([{ class: 'ready', head: 100, lag: 0 }]))
  b.health.head_slot = '97'
  await askFor(all.of(two), read)
  expect(all.statesOf(two)).toMatchObject([
    { ...place, class: 'ready', head: 100, lag: 0, calls: 1 },
    { ...place, position: 1, class: 'lagging', head: 97, lag: 3, calls: 0 },
  ])
  const states = all.states()
  expect(states.map(({ nodes }) => nodes)).toEqual([['node'], ['two'], ['two']])
  // Both nodes have the first upstream, and each of its calls counts once.
  expect([states[0]?.id, states[0]?.calls]).toEqual([states[1]?.id, 1])
  expect(all.statesOf({ ...two, upstreams: {} })).toEqual([])
})

test('nodes with the same upstreams share them, until one of the nodes gets others', async () => {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  const all = allNodes()
  const [one, two] = [grantOf([a, b]), { ...grantOf([a, b]), nodeId: 'two' }]
  expect(all.of(one)).toBe(all.of(two))
  expect(all.states().map(({ nodes }) => nodes)).toEqual([
    ['node', 'two'],
    ['node', 'two'],
  ])
  await askFor(all.of(one), read)
  const before = all.states()[0]
  const moved = all.of({ ...grantOf([a]), nodeId: 'two' })
  expect(all.states().map(({ nodes, position }) => [nodes, position])).toEqual([
    [['node'], 0],
    [['node'], 1],
    [['two'], 0],
  ])
  // The state of the upstream that the node still uses is preserved.
  expect(all.states()[2]).toMatchObject({ id: before?.id, class: 'ready', calls: before?.calls })
  await askFor(moved, read)
  all.of({ ...grantOf([a]), nodeId: 'node' })
  expect(all.states().map(({ nodes }) => nodes)).toEqual([['two', 'node']])
})

test('a node that answers 503 as it syncs is known from then on', async () => {
  const { a, b, nodes } = await twoNodes()
  await askFor(nodes, read)
  a.health.is_syncing = true
  a.serve((_, response) => answerJson(response, { code: 503, message: 'syncing' }, 503))
  expect((await askFor(nodes, read)).text).toBe('{"data":"b"}')
  await waitFor(async () => {
    const before = a.asked.length
    await askFor(nodes, read)
    expect(a.asked.length).toBe(before)
  })
  expect(b.asked.length).toBeGreaterThan(1)
})

test('an error answer is passed on when the other node is known to be down', async () => {
  const { a, b, nodes } = await twoNodes()
  await b.stop()
  await askFor(nodes, read)
  a.serve((_, response) => answerJson(response, { code: 500, message: 'no' }, 500))
  expect(await askFor(nodes, read)).toMatchObject({ status: 500 })
})

test('when all nodes are gone a call says so, and works again when one is back', async () => {
  const { a, b, nodes } = await twoNodes()
  await Promise.all([a.stop(), b.stop()])
  await expect(askFor(nodes, read)).rejects.toMatchObject({ status: 502 })
  await b.start()
  await waitFor(async () => expect((await askFor(nodes, read)).text).toBe('{"data":"b"}'))
})

test('a call of a client that has left goes to no other node, and is no fault of its own', async () => {
  const { a, b, nodes } = await twoNodes()
  const left = new AbortController()
  a.serve(() => left.abort())
  await expect(askFor(nodes, { ...read, signal: left.signal })).rejects.toBeInstanceOf(Error)
  a.serve((_, response) => answerJson(response, { data: 'a' }))
  expect((await askFor(nodes, read)).text).toBe('{"data":"a"}')
  expect(b.asked).toEqual([])
})

test('a node that hangs altogether is left after its next round', async () => {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  const times = { intervalMs: 50, checkTimeoutMs: 100, firstRoundMs: 500, idleMs: 60_000 }
  const nodes = allNodes({ times }).of(grantOf([a, b]))
  await askFor(nodes, read)
  a.hang()
  await waitFor(async () => expect((await askFor(nodes, read)).text).toBe('{"data":"b"}'))
})

test('the rounds end when nobody calls any more, and with the set', async () => {
  const [a, b] = [await beaconServer('a'), await beaconServer('b')]
  const times = { intervalMs: 50, checkTimeoutMs: 500, firstRoundMs: 500, idleMs: 200 }
  const all = allNodes({ times })
  // On a busy machine, the idle time after a single call may elapse before the third round.
  await waitFor(async () => {
    await askFor(all.of(grantOf([a, b])), read)
    expect(a.checks).toBeGreaterThan(2)
  })
  // Health check rounds of other nodes, which continue.
  const [c, d] = [await beaconServer('c'), await beaconServer('d')]
  await askFor(allNodes({ times: { ...times, idleMs: 60_000 } }).of(grantOf([c, d])), read)
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
  expect((await askFor(all.of(grantOf([a, b])), read)).text).toBe('{"data":"b"}')
  await all.close()
  const closed = b.checks
  await rounds(4)
  expect(b.checks).toBe(closed)
})

test('the word devnet stands for the embedded chain, and nothing usable is a failure', async () => {
  const a = await beaconServer('a')
  const all = allNodes({ embedded: a.url })
  expect((await askFor(all.of({ ...grantOf([]), upstreams: { beacon: 'devnet' } }), read)).text).toContain(
    'a',
  )
  await all.embeddedAnswer(AbortSignal.timeout(1_000))
  await a.stop()
  await expect(all.embeddedAnswer(AbortSignal.timeout(1_000))).rejects.toBeInstanceOf(Error)
  expect(() => all.of({ ...grantOf([]), upstreams: {} })).toThrow('This node has no upstream for beacon.')
  expect(() => all.of(grantOf([{ url: 'user:pass-word' }]))).toThrow(/^An upstream address of this node/)
})
