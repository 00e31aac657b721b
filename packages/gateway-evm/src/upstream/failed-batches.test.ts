import type { ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { Cancellation, promised } from '@fairlead/runtime'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { testMetrics } from '@fairlead/gateway-core/testing/test-metrics'
import { publishUpstreams } from '@fairlead/gateway-core/upstream/metrics'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { unusedUrl } from '@fairlead/vitest/http-server'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { inFrontOf, type ListenerFixture, token } from '../testing/listener-fixture.ts'
import { createEvmUpstream } from './evm-upstream.ts'
import { ownCall } from './own-call.ts'

interface RpcCall {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}
type Respond = (response: ServerResponse, calls: readonly RpcCall[]) => unknown

const maxCalls = 3
const json = { 'content-type': 'application/json' }
const balances = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    jsonrpc: '2.0',
    id: at + 1,
    method: 'eth_getBalance',
    params: [`0x${String(at + 1).padStart(40, '0')}`, '0x1'],
  }))
const responseTo = ({ id, params }: RpcCall) => ({ jsonrpc: '2.0', id, result: params[0] })
const send: Respond = (response, calls) =>
  response.writeHead(200, json).end(JSON.stringify(calls.map(responseTo)))
const sendError = (status: number, code: number, message: string): Respond => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })
  return (response) => response.writeHead(status, json).end(body)
}
const sendErrors =
  (status: number, code: number, message: string): Respond =>
  (response, calls) =>
    response
      .writeHead(status, json)
      .end(JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code, message } }))))
const sendText =
  (status: number, body: string, headers: Record<string, string> = json): Respond =>
  (response) =>
    response.writeHead(status, headers).end(body)

/**
 * Starts an upstream.
 *
 * @param ofBatch - response to a batch of more than three calls
 * @param ofSingle - response to a single call
 */
async function limitedNode(ofBatch: Respond, ofSingle?: Respond) {
  const sizes: number[] = []
  const url = await startTestNode(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const body = JSON.parse(text) as RpcCall | readonly RpcCall[]
    const calls = 'id' in body ? [body] : body
    // Health checks of the gateway.
    const [{ id, method }] = calls as [RpcCall]
    if (method !== 'eth_getBalance') {
      const result = method === 'eth_chainId' ? '0x1' : { number: '0x1', hash: '0x1', parentHash: '0x0' }
      response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      return
    }
    sizes.push(calls.length)
    if (!('id' in body)) await (calls.length > maxCalls ? ofBatch : send)(response, calls)
    else if (ofSingle) await ofSingle(response, calls)
    else response.writeHead(200, json).end(JSON.stringify(responseTo(body)))
  })
  return { url, sizes, count: (size: number) => sizes.filter((each) => each === size).length }
}

async function post(gateway: ListenerFixture, count: number): Promise<unknown> {
  const body = JSON.stringify(balances(count))
  return (await fetch(`${gateway.url}/${token}`, { method: 'POST', body })).json()
}

const disabledOf = (gateway: ListenerFixture) =>
  gateway.states().map(({ areBatchesDisabled }) => areBatchesDisabled)

const statuses = [204, 302, 400, 401, 403, 404, 405, 407, 408, 413, 415, 422, 500, 501, 502, 503, 504, 520]
const tooLarge = 'batch size too large'
const failures: readonly (readonly [string, Respond])[] = [
  ['drops the connection', (response) => response.destroy()],
  [
    'drops the connection in the response',
    (response) =>
      response.writeHead(200, { ...json, 'content-length': '90' }).write('[', () => response.destroy()),
  ],
  ...statuses.flatMap((status): readonly (readonly [string, Respond])[] => [
    [
      `responds with HTTP ${status} and HTML`,
      sendText(status, '<html></html>', { 'content-type': 'text/html' }),
    ],
    [`responds with HTTP ${status} and nothing`, sendText(status, '', {})],
    ...(status === 204
      ? []
      : ([
          [`responds with HTTP ${status} and one error`, sendError(status, -32_600, tooLarge)],
          [`responds with HTTP ${status} and one unknown error`, sendError(status, -32_000, 'no')],
          [`responds with HTTP ${status} and an error per call`, sendErrors(status, -32_000, tooLarge)],
        ] as const)),
  ]),
  ...[-32_700, -32_600, -32_601, -32_602, -32_603, -32_000].map(
    (code) => [`responds with one error ${code}`, sendError(200, code, 'no')] as const,
  ),
  ['responds with an error per call about the batch', sendErrors(200, -32_600, tooLarge)],
  ['responds with an error per call about the size', sendErrors(200, -32_003, 'response too large')],
  ['responds with HTML', sendText(200, '<html></html>')],
  ['responds with a truncated array', sendText(200, '[{"jsonrpc":"2.0","id":1,')],
  ['responds with an empty array', sendText(200, '[]')],
  ['responds with an array of null', sendText(200, '[null,null]')],
  ['responds with a number', sendText(200, '5')],
  ['responds with nothing', sendText(200, '')],
]

afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(failures)('an upstream that %s to a batch', (_, ofBatch) => {
  it.each([1, 2])('receives its calls singly, and then no batches; it is one of %i', async (count) => {
    const nodes = await Promise.all(Array.from({ length: count }, () => limitedNode(ofBatch)))
    const gateway = await inFrontOf(nodes.map(({ url }) => url).join(' '))
    expect(await post(gateway, 12)).toEqual(balances(12).map(responseTo))
    // Both upstreams receive half of the calls.
    expect(disabledOf(gateway)).toEqual(nodes.map(() => true))
    const batches = nodes.map(({ sizes }) => sizes.filter((size) => size > 1).length)
    expect(await post(gateway, 12)).toEqual(balances(12).map(responseTo))
    expect(nodes.map(({ sizes }) => sizes.filter((size) => size > 1).length)).toEqual(batches)
    expect(gateway.states().map(({ failures: failed, breaker }) => [failed, breaker])).toEqual(
      nodes.map(() => [0, 'closed']),
    )
  })
})

it('batches are enabled again after ten minutes', async () => {
  const node = await limitedNode(sendText(500, ''))
  const gateway = await inFrontOf(node.url)
  const metrics = testMetrics()
  publishUpstreams(metrics.registry, () => gateway.states())
  const published = async () =>
    (await metrics.text()).match(/^fairlead_upstream_batches_disabled\{.*\} (.*)$/m)?.[1]
  expect(await published()).toBeUndefined()
  await post(gateway, 12)
  expect([disabledOf(gateway), await published()]).toEqual([[true], '1'])
  const now = performance.now() + 10 * 60_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  expect([disabledOf(gateway), await published()]).toEqual([[false], '0'])
  expect(await post(gateway, 3)).toEqual(balances(3).map(responseTo))
  expect(node.sizes).toEqual([12, ...balances(12).map(() => 1), 3])
})

describe('batches stay enabled', () => {
  it('when the upstream cannot be reached', async () => {
    const gateway = await inFrontOf(unusedUrl())
    expect(await post(gateway, 12)).toMatchObject(
      balances(12).map(({ id }) => ({ id, error: { code: -32_603 } })),
    )
    expect(disabledOf(gateway)).toEqual([false])
  })

  it('when it has reached its rate limit', async () => {
    const node = await limitedNode(sendText(429, '', { 'retry-after': '7' }))
    const gateway = await inFrontOf(node.url)
    await post(gateway, 12)
    expect([node.sizes, disabledOf(gateway)]).toEqual([[12], [false]])
  })

  it.each<[string, Respond]>([
    ['HTTP 500', sendText(500, '')],
    ['an error', sendError(200, -32_000, tooLarge)],
    ['no response', (response) => response.destroy()],
  ])('when the single calls receive %s too', async (_, respond) => {
    const node = await limitedNode(respond, respond)
    const gateway = await inFrontOf(node.url)
    await post(gateway, 12)
    expect(node.count(12)).toBe(1)
    expect(node.count(1)).toBeGreaterThanOrEqual(12)
    expect(disabledOf(gateway)).toEqual([false])
  })

  it('when it omits some responses', async () => {
    const node = await limitedNode((response, calls) => send(response, calls.slice(0, maxCalls)))
    const gateway = await inFrontOf(node.url)
    expect(await post(gateway, 12)).toEqual(balances(12).map(responseTo))
    expect([node.sizes, disabledOf(gateway)]).toEqual([[12, ...balances(9).map(() => 1)], [false]])
  })
})

describe('the retry budget', () => {
  it('limits the single calls to an upstream that fails', async () => {
    const node = await limitedNode(sendText(500, ''), (response, [call]) =>
      response
        .writeHead(500, json)
        .end(JSON.stringify({ id: call?.id, error: { code: -32_603, message: 'no' } })),
    )
    const gateway = await inFrontOf(node.url)
    const began = performance.now()
    for (let round = 0; round < 40; round += 1) await post(gateway, 20)
    expect(node.count(20)).toBe(40)
    const seconds = (performance.now() - began) / 1_000
    expect(node.count(1)).toBeLessThanOrEqual(256 + 0.2 * 800 + 10 * seconds)
  })

  it('limits them after a timeout too', async () => {
    const node = await limitedNode(() => undefined)
    const upstream = createEvmUpstream(node.url, 150, new MemoryLedger(2 ** 20), { maxBatchedCalls: 100 })
    onTestFinished(() => upstream.close())
    const batch = {}
    const { signal } = new AbortController()
    const sent = Array.from({ length: 300 }, async (_, at) => {
      const call = {
        ...ownCall('eth_getBalance', [`0x${at}`, '0x1'], new Cancellation()),
        batch,
      }
      return promised((completion) => upstream.send(call, signal, completion))
    })
    const settled = await Promise.allSettled(sent)
    const failed = settled.filter(({ status }) => status === 'rejected')
    expect([failed.length > 30, failed.length + node.count(1)]).toEqual([true, 300])
    expect(upstream.areBatchesDisabled).toBe(true)
  })
})
