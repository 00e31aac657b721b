import type { ServerResponse } from 'node:http'
import { expect, test, vi } from 'vitest'
import { ResponseCache } from './response-cache.ts'
import { answerJson, beaconServer } from '../testing/beacon-server.ts'
import { allNodes, askFor, grantOf } from '../testing/node-set.ts'

const root = `0x${'ab'.repeat(32)}`
const target = `/eth/v2/beacon/blocks/${root}`
const final = { execution_optimistic: false, finalized: true, data: { slot: '1' } }
const answer = (bytes: number) => ({ status: 200, headers: {}, bytes: Buffer.alloc(bytes) })

test('the entry that was used least recently goes first', () => {
  const cache = new ResponseCache(10_000)
  for (const key of ['a', 'b', 'c']) cache.keep(key, answer(2_500))
  expect(cache.find('a')).toBeDefined()
  cache.keep('d', answer(2_500))
  expect(['a', 'b', 'c', 'd'].map((key) => cache.find(key) !== undefined)).toEqual([true, false, true, true])
})

test('the bytes stay within the limit, whatever is kept, replaced and found', () => {
  const cache = new ResponseCache(50_000)
  for (let i = 0; i < 10_000; i++) {
    cache.keep(`key ${(i * 7) % 40}`, answer((i * 31) % 9_000), i % 3 === 0 ? 1 : undefined)
    cache.find(`key ${(i * 11) % 40}`)
    expect(cache.bytes).toBeLessThanOrEqual(50_000)
    expect(cache.bytes).toBeGreaterThanOrEqual(0)
  }
  for (let key = 0; key < 40; key++) cache.keep(`key ${key}`, answer(60_000))
  expect(cache.bytes).toBe(0)
})

test('an entry is given until its time is over', async () => {
  const cache = new ResponseCache(10_000)
  cache.keep('a', answer(10), 50)
  expect(cache.find('a')).toBeDefined()
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60)
  expect(cache.find('a')).toBeUndefined()
  expect(cache.bytes).toBe(0)
})

test('what is final is asked once, by root, by slot and as a constant', async () => {
  const server = await beaconServer()
  server.serve((_, response) => answerJson(response, final))
  const nodes = allNodes().of(grantOf([server]))
  for (const each of [target, '/eth/v2/beacon/blocks/7', '/eth/v1/beacon/genesis']) {
    const [first, second] = [await askFor(nodes, { target: each }), await askFor(nodes, { target: each })]
    expect(second).toEqual(first)
    expect(second.text).toBe(JSON.stringify(final))
  }
  expect(server.asked).toHaveLength(3)
})

test.each([
  ['what may change', { ...final, finalized: false }, target],
  ['what is optimistic', { ...final, execution_optimistic: true }, target],
  ['what does not say', { data: {} }, target],
  ['what the word finalized names', final, '/eth/v2/beacon/blocks/finalized'],
])('%s is asked each time', async (_, body, each) => {
  const server = await beaconServer()
  server.serve((__, response) => answerJson(response, body))
  const nodes = allNodes().of(grantOf([server]))
  await askFor(nodes, { target: each })
  await askFor(nodes, { target: each })
  expect(server.asked).toHaveLength(2)
})

test('what becomes final later is kept from then on', async () => {
  const server = await beaconServer()
  let finalized = false
  server.serve((_, response) => answerJson(response, { ...final, finalized }))
  const nodes = allNodes().of(grantOf([server]))
  await askFor(nodes, { target })
  finalized = true
  for (let i = 0; i < 3; i++) await askFor(nodes, { target })
  expect(server.asked).toHaveLength(2)
})

test('errors are never kept', async () => {
  const server = await beaconServer()
  server.serve((_, response) => answerJson(response, { code: 404, message: 'unknown block' }, 404))
  const nodes = allNodes().of(grantOf([server]))
  expect(await askFor(nodes, { target })).toMatchObject({ status: 404 })
  server.serve((_, response) => answerJson(response, final))
  expect(await askFor(nodes, { target })).toMatchObject({ status: 200 })
})

test('JSON and SSZ are kept apart, SSZ only when its headers say that it is final', async () => {
  const server = await beaconServer()
  let headers: Record<string, string> = {}
  server.serve((request, response) => {
    if (request.headers.accept === 'application/json') answerJson(response, final)
    else response.writeHead(200, headers).end(Buffer.from([1, 2, 3]))
  })
  const nodes = allNodes().of(grantOf([server]))
  const ask = (accept: string) => askFor(nodes, { target, headers: { accept }, acceptable: [accept] })
  const ssz = 'application/octet-stream'
  headers = { 'content-type': ssz, 'content-length': '3' }
  await ask(ssz)
  headers = { ...headers, 'eth-consensus-finalized': 'true', 'eth-execution-optimistic': 'false' }
  await ask(ssz)
  expect(server.asked).toHaveLength(2)
  expect((await ask(ssz)).bytes).toEqual(Buffer.from([1, 2, 3]))
  expect((await ask('application/json')).text).toBe(JSON.stringify(final))
  expect((await ask('application/json')).text).toBe(JSON.stringify(final))
  expect((await ask(ssz)).bytes).toEqual(Buffer.from([1, 2, 3]))
  expect(server.asked).toHaveLength(3)
})

test('what was asked with other headers is kept apart', async () => {
  const server = await beaconServer()
  server.serve((request, response) =>
    answerJson(response, { ...final, data: request.headers['eth-consensus-version'] ?? 'none' }),
  )
  const nodes = allNodes().of(grantOf([server]))
  const ask = async (headers: Record<string, string>) => (await askFor(nodes, { target, headers })).text
  for (const _ of ['asked', 'kept']) {
    expect(await ask({ 'eth-consensus-version': 'fulu' })).toContain('"data":"fulu"')
    expect(await ask({})).toContain('"data":"none"')
  }
  expect(server.asked).toHaveLength(2)
})

test('hosted nodes share what is kept only when the same nodes stand behind them', async () => {
  const [a, b] = [await beaconServer(), await beaconServer()]
  a.serve((_, response) => answerJson(response, { ...final, data: 'a' }))
  b.serve((_, response) => answerJson(response, { ...final, data: 'b' }))
  const all = allNodes()
  expect((await askFor(all.of(grantOf([a])), { target })).text).toContain('"data":"a"')
  expect((await askFor(all.of(grantOf([b])), { target })).text).toContain('"data":"b"')
  await askFor(all.of(grantOf([a], 'another')), { target })
  expect(a.asked).toHaveLength(1)
  await askFor(all.of(grantOf([a, b])), { target })
  await askFor(all.of(grantOf([b, a])), { target })
  expect(a.asked.length + b.asked.length).toBe(3)
})

test('a body that breaks off is not kept', async () => {
  const server = await beaconServer()
  let isWhole = false
  server.serve((_, response) => {
    const text = JSON.stringify(final)
    response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' })
    if (isWhole) response.end(text)
    else response.write(text, () => setImmediate(() => response.destroy()))
  })
  const nodes = allNodes().of(grantOf([server]))
  await expect(askFor(nodes, { target })).rejects.toBeInstanceOf(Error)
  isWhole = true
  await askFor(nodes, { target })
  await askFor(nodes, { target })
  expect(server.asked).toHaveLength(2)
})

test('a long answer passes through and is not kept, a client that leaves ends it', async () => {
  const server = await beaconServer()
  const chunk = Buffer.alloc(65_536, ' ')
  let written = 0
  const endless = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const write = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length
    }
    response.on('drain', write)
    write()
  }
  let ended = false
  server.serve((_, response) => {
    endless(response)
    response.on('close', () => (ended = true))
  })
  const nodes = allNodes().of(grantOf([server]))
  const before = process.memoryUsage().arrayBuffers
  const call = { operationId: 'getBlockV2', acceptable: ['application/json'], headers: {}, target } as const
  const taken = await nodes.forward({ ...call, method: 'GET', signal: new AbortController().signal })
  if (!('body' in taken)) throw new Error('The answer was held.')
  let received = 0
  for await (const part of taken.body as AsyncIterable<Buffer>) {
    received += part.length
    if (received > 256 * 1024 * 1024) break
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(128 * 1024 * 1024)
  await expect.poll(() => ended).toBe(true)
  server.serve((_, response) => answerJson(response, final))
  await askFor(nodes, { target })
  expect(server.asked).toHaveLength(2)
})

test('copies under way take no more room than the cache has', async () => {
  const server = await beaconServer()
  const waiting: ServerResponse[] = []
  server.serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(`{"execution_optimistic":false,"finalized":true,"pad":"${'x'.repeat(6_000)}`)
    waiting.push(response)
  })
  const nodes = allNodes({ maxCacheBytes: 10_000 }).of(grantOf([server]))
  const begin = async (at: string) => {
    const call = { operationId: 'getStateRoot', acceptable: ['application/json'], headers: {}, target: at }
    const taken = await nodes.forward({ ...call, method: 'GET', signal: new AbortController().signal })
    if (!('body' in taken)) throw new Error('The answer was held.')
    const parts = (taken.body as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
    await parts.next()
    return async () => {
      while ((await parts.next()).done !== true);
    }
  }
  const ends = [await begin(target), await begin(`${target}/root`)]
  for (const [index, response] of waiting.entries()) {
    response.end('","data":{}}')
    await ends[index]?.()
  }
  server.serve((_, response) => answerJson(response, final))
  // The second response cannot reserve memory for its copy, so it does not evict the first.
  expect((await askFor(nodes, { target })).text).toContain('pad')
  expect((await askFor(nodes, { target: `${target}/root` })).text).not.toContain('pad')
})
