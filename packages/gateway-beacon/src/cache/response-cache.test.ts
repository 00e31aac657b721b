import type { ServerResponse } from 'node:http'
import { expect, test, vi } from 'vitest'
import { collectGarbage } from '@fairlead/vitest/collect-garbage'
import { waitFor } from '@fairlead/vitest/wait-for'
import { ResponseCache } from './response-cache.ts'
import { sendJson, beaconServer } from '../testing/beacon-server.ts'
import { findBeaconOperation } from '../operations/operations.ts'
import { testUpstreams, sendCall, grantOf } from '../testing/node-set.ts'

const root = `0x${'ab'.repeat(32)}`
const target = `/eth/v2/beacon/blocks/${root}`
const final = { execution_optimistic: false, finalized: true, data: { slot: '1' } }
const responseOf = (bytes: number) => ({ status: 200, headers: {}, bytes: Buffer.alloc(bytes) })

test('evicts the least recently used entry first', () => {
  const cache = new ResponseCache(10_000)
  for (const key of ['a', 'b', 'c']) cache.set(key, responseOf(2_500))
  expect(cache.get('a')).toBeDefined()
  cache.set('d', responseOf(2_500))
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key) !== undefined)).toEqual([true, false, true, true])
})

test('the total size stays within the limit', () => {
  const cache = new ResponseCache(50_000)
  for (let i = 0; i < 10_000; i++) {
    cache.set(`key ${(i * 7) % 40}`, responseOf((i * 31) % 9_000), i % 3 === 0 ? 1 : undefined)
    cache.get(`key ${(i * 11) % 40}`)
    expect(cache.bytes).toBeLessThanOrEqual(50_000)
    expect(cache.bytes).toBeGreaterThanOrEqual(0)
  }
  for (let key = 0; key < 40; key++) cache.set(`key ${key}`, responseOf(60_000))
  expect(cache.bytes).toBe(0)
})

test('an entry expires after its time to live', async () => {
  const cache = new ResponseCache(10_000)
  cache.set('a', responseOf(10), 50)
  expect(cache.get('a')).toBeDefined()
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60)
  expect(cache.get('a')).toBeUndefined()
  expect(cache.bytes).toBe(0)
})

test('finalized resources are requested once, by root, by slot and as a constant', async () => {
  const server = await beaconServer()
  server.serve((_, response) => sendJson(response, final))
  const nodes = testUpstreams().of(grantOf([server]))
  for (const path of [target, '/eth/v2/beacon/blocks/7', '/eth/v1/beacon/genesis']) {
    const [first, second] = [await sendCall(nodes, { target: path }), await sendCall(nodes, { target: path })]
    expect(second).toEqual(first)
    expect(second.text).toBe(JSON.stringify(final))
  }
  expect(server.requests).toHaveLength(3)
})

test.each([
  ['a response that is not finalized', { ...final, finalized: false }, target],
  ['an optimistic response', { ...final, execution_optimistic: true }, target],
  ['a response without finality fields', { data: {} }, target],
  ['a block that is requested as finalized', final, '/eth/v2/beacon/blocks/finalized'],
])('%s is requested every time', async (_, body, path) => {
  const server = await beaconServer()
  server.serve((__, response) => sendJson(response, body))
  const nodes = testUpstreams().of(grantOf([server]))
  await sendCall(nodes, { target: path })
  await sendCall(nodes, { target: path })
  expect(server.requests).toHaveLength(2)
})

test('a response is cached once it is finalized', async () => {
  const server = await beaconServer()
  let finalized = false
  server.serve((_, response) => sendJson(response, { ...final, finalized }))
  const nodes = testUpstreams().of(grantOf([server]))
  await sendCall(nodes, { target })
  finalized = true
  for (let i = 0; i < 3; i++) await sendCall(nodes, { target })
  expect(server.requests).toHaveLength(2)
})

test('error responses are not cached', async () => {
  const server = await beaconServer()
  server.serve((_, response) => sendJson(response, { code: 404, message: 'unknown block' }, 404))
  const nodes = testUpstreams().of(grantOf([server]))
  expect(await sendCall(nodes, { target })).toMatchObject({ status: 404 })
  server.serve((_, response) => sendJson(response, final))
  expect(await sendCall(nodes, { target })).toMatchObject({ status: 200 })
})

test('JSON and SSZ are cached separately, SSZ only when its headers report finality', async () => {
  const server = await beaconServer()
  let headers: Record<string, string> = {}
  server.serve((request, response) => {
    if (request.headers.accept === 'application/json') sendJson(response, final)
    else response.writeHead(200, headers).end(Buffer.from([1, 2, 3]))
  })
  const nodes = testUpstreams().of(grantOf([server]))
  const send = (accept: string) => sendCall(nodes, { target, headers: { accept } })
  const ssz = 'application/octet-stream'
  headers = { 'content-type': ssz, 'content-length': '3' }
  await send(ssz)
  headers = { ...headers, 'eth-consensus-finalized': 'true', 'eth-execution-optimistic': 'false' }
  await send(ssz)
  expect(server.requests).toHaveLength(2)
  expect((await send(ssz)).bytes).toEqual(Buffer.from([1, 2, 3]))
  expect((await send('application/json')).text).toBe(JSON.stringify(final))
  expect((await send('application/json')).text).toBe(JSON.stringify(final))
  expect((await send(ssz)).bytes).toEqual(Buffer.from([1, 2, 3]))
  expect(server.requests).toHaveLength(3)
})

test('responses to different request headers are cached separately', async () => {
  const server = await beaconServer()
  server.serve((request, response) =>
    sendJson(response, { ...final, data: request.headers['eth-consensus-version'] ?? 'none' }),
  )
  const nodes = testUpstreams().of(grantOf([server]))
  const send = async (headers: Record<string, string>) => (await sendCall(nodes, { target, headers })).text
  for (const _ of ['first request', 'cached']) {
    expect(await send({ 'eth-consensus-version': 'fulu' })).toContain('"data":"fulu"')
    expect(await send({})).toContain('"data":"none"')
  }
  expect(server.requests).toHaveLength(2)
})

test('nodes share cached responses only when they have the same upstreams', async () => {
  const [a, b] = [await beaconServer(), await beaconServer()]
  a.serve((_, response) => sendJson(response, { ...final, data: 'a' }))
  b.serve((_, response) => sendJson(response, { ...final, data: 'b' }))
  const all = testUpstreams()
  expect((await sendCall(all.of(grantOf([a])), { target })).text).toContain('"data":"a"')
  expect((await sendCall(all.of(grantOf([b])), { target })).text).toContain('"data":"b"')
  await sendCall(all.of(grantOf([a], 'another')), { target })
  expect(a.requests).toHaveLength(1)
  await sendCall(all.of({ ...grantOf([a, b]), nodeId: 'third' }), { target })
  await sendCall(all.of({ ...grantOf([b, a]), nodeId: 'fourth' }), { target })
  expect(a.requests.length + b.requests.length).toBe(3)
})

test('a node retains its cached responses by root when its upstreams change, and shares them no longer', async () => {
  const [a, b] = [await beaconServer(), await beaconServer()]
  a.serve((_, response) => sendJson(response, { ...final, data: 'a' }))
  b.serve((_, response) => sendJson(response, { ...final, data: 'b' }))
  const all = testUpstreams()
  await sendCall(all.of(grantOf([a])), { target })
  expect((await sendCall(all.of(grantOf([b, a])), { target })).text).toContain('"data":"a"')
  expect((await sendCall(all.of(grantOf([b])), { target })).text).toContain('"data":"a"')
  expect([a.requests.length, b.requests.length]).toEqual([1, 0])
  expect((await sendCall(all.of({ ...grantOf([b]), nodeId: 'another' }), { target })).text).toContain(
    '"data":"b"',
  )
})

test.each([
  '/eth/v1/beacon/genesis',
  '/eth/v1/config/spec',
  '/eth/v2/beacon/blocks/7',
  '/eth/v1/beacon/states/genesis/root',
])('after a change, %s is of an upstream in use, which may be of another network', async (path) => {
  const [a, b] = [await beaconServer(), await beaconServer()]
  a.serve((_, response) => sendJson(response, { ...final, data: 'mainnet' }))
  b.serve((_, response) => sendJson(response, { ...final, data: 'hoodi' }))
  const all = testUpstreams()
  const read = async (beacon: string) =>
    (await sendCall(all.of({ ...grantOf([a]), upstreams: { beacon } }), { target: path })).text
  for (const [list, data] of [
    [`${a.url} ${b.url}#cordoned`, 'mainnet'],
    [`${a.url}#cordoned ${b.url}`, 'hoodi'],
    [b.url, 'hoodi'],
    [`${a.url} ${b.url}#cordoned`, 'mainnet'],
  ] as const) {
    for (const _ of ['first request', 'cached']) expect(await read(list)).toContain(`"data":"${data}"`)
  }
  expect([a.requests.length, b.requests.length]).toEqual([2, 2])
})

test('a response to a call that began before a change is not cached after it', async () => {
  const [a, b] = [await beaconServer(), await beaconServer()]
  const waiting: ServerResponse[] = []
  a.serve((_, response) => waiting.push(response))
  b.serve((_, response) => sendJson(response, { data: 'hoodi' }))
  const all = testUpstreams()
  const call = { target: '/eth/v1/beacon/genesis' }
  const changed = { ...grantOf([b]), upstreams: { beacon: `${a.url}#cordoned ${b.url}` } }
  const before = sendCall(all.of(grantOf([a])), call)
  await waitFor(() => expect(waiting).toHaveLength(1))
  all.of(changed)
  for (const response of waiting) sendJson(response, { data: 'mainnet' })
  expect((await before).text).toContain('mainnet')
  expect((await sendCall(all.of(changed), call)).text).toContain('hoodi')
})

test('a truncated body is not cached', async () => {
  const server = await beaconServer()
  let isComplete = false
  server.serve((_, response) => {
    const text = JSON.stringify(final)
    response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' })
    if (isComplete) response.end(text)
    else response.write(text, () => setImmediate(() => response.destroy()))
  })
  const nodes = testUpstreams().of(grantOf([server]))
  await expect(sendCall(nodes, { target })).rejects.toBeInstanceOf(Error)
  isComplete = true
  await sendCall(nodes, { target })
  await sendCall(nodes, { target })
  expect(server.requests).toHaveLength(2)
})

test('a long response streams through uncached and is aborted when the client disconnects', async () => {
  const server = await beaconServer()
  const block = Buffer.alloc(65_536, ' ')
  let written = 0
  const streaming = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const write = () => {
      while (!response.destroyed && response.write(block)) written += block.length
    }
    response.on('drain', write)
    write()
  }
  let ended = false
  server.serve((_, response) => {
    streaming(response)
    response.on('close', () => (ended = true))
  })
  const nodes = testUpstreams().of(grantOf([server]))
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  const call = {
    operation: findBeaconOperation('GET', target),
    headers: {},
    target,
    tenant: undefined,
  } as const
  const streamed = await nodes.forward({ ...call, method: 'GET', signal: new AbortController().signal })
  if (!('body' in streamed)) throw new Error('The response was buffered.')
  let received = 0
  for await (const chunk of streamed.body as AsyncIterable<Buffer>) {
    received += chunk.length
    if (received > 256 * 1024 * 1024) break
  }
  collectGarbage()
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024)
  await expect.poll(() => ended).toBe(true)
  server.serve((_, response) => sendJson(response, final))
  await sendCall(nodes, { target })
  expect(server.requests).toHaveLength(2)
})

test('copies in transfer stay within the memory limit of the cache', async () => {
  const server = await beaconServer()
  const waiting: ServerResponse[] = []
  server.serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(`{"execution_optimistic":false,"finalized":true,"pad":"${'x'.repeat(6_000)}`)
    waiting.push(response)
  })
  const nodes = testUpstreams({ maxCacheBytes: 10_000 }).of(grantOf([server]))
  const begin = async (path: string) => {
    const call = {
      operation: findBeaconOperation('GET', path),
      headers: {},
      target: path,
      tenant: undefined,
    }
    const response = await nodes.forward({ ...call, method: 'GET', signal: new AbortController().signal })
    if (!('body' in response)) throw new Error('The response was buffered.')
    const parts = (response.body as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
    await parts.next()
    return async () => {
      while ((await parts.next()).done !== true);
    }
  }
  const ends = [await begin(target), await begin(`${target}/attestations`)]
  for (const [index, response] of waiting.entries()) {
    response.end('","data":{}}')
    await ends[index]?.()
  }
  server.serve((_, response) => sendJson(response, final))
  // The second response cannot reserve memory for its copy, so it does not evict the first.
  expect((await sendCall(nodes, { target })).text).toContain('pad')
  expect((await sendCall(nodes, { target: `${target}/attestations` })).text).not.toContain('pad')
})
