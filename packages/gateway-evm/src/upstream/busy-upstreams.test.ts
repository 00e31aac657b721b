import { describe, expect, it, vi } from 'vitest'
import { RateBudget } from '@fairlead/gateway-core/upstream/rate-budget'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'
import { faultyUpstream, type RawResponse } from '../testing/faulty-upstream.ts'
import { inFrontOf, token } from '../testing/listener-fixture.ts'
import { pooledNode } from '../testing/pooled-node.ts'
import { postCall } from '../testing/posted-call.ts'

const method = 'eth_gasPrice'
const html = '<html>Too many requests</html>'
const rateLimit = { error: { code: -32_005, message: 'rate limit exceeded' } }

function busy(retryAfter: string | undefined, body: RawResponse['body'] = html): RawResponse {
  return { status: 429, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter }, body }
}

const inSeconds = (count: number) => new Date(Date.now() + count * 1_000).toUTCString()

/** A response with a rate limit, and the bounds of `Retry-After` to the client, in seconds. */
const responses: readonly (readonly [string, () => RawResponse, number, number])[] = [
  ['seconds', () => busy('7'), 7, 7],
  ['a date', () => busy(inSeconds(30)), 29, 30],
  ['a day', () => busy('86400'), 60, 60],
  ['no time', () => busy('0'), 1, 1],
  ['no Retry-After', () => busy(undefined), 1, 1],
  ['a date in the past', () => busy(inSeconds(-30)), 1, 1],
  ['garbage', () => busy('soon'), 1, 1],
  ['seconds with JSON-RPC', () => busy('7', rateLimit), 7, 7],
  ['seconds with another JSON-RPC error', () => busy('7', { error: { code: -32_000, message: 'no' } }), 7, 7],
  ['JSON-RPC with HTTP 200', () => ({ ...busy(undefined, rateLimit), status: 200 }), 1, 1],
  ['JSON-RPC with HTTP 503', () => ({ ...busy('7', rateLimit), status: 503 }), 7, 7],
]

describe.each(responses)('a rate limit with %s', (_, response, min, max) => {
  it.each([1, 2])('of all upstreams, which are %i, is a documented error', async (count) => {
    const raw = { [method]: response() }
    const upstreams = await Promise.all(
      Array.from({ length: count }, (__, at) => faultyUpstream(`${at}`, { raw })),
    )
    const gateway = await inFrontOf(upstreams.map(({ url }) => url).join(' '))
    const call = async () => {
      const { status, retryAfter, body } = await postCall(gateway, method, [])
      expect([status, body.error]).toEqual([
        429,
        {
          code: -32_005,
          message: 'All upstreams of this node have reached their rate limit. Try again later.',
          data: { reason: 'upstream busy', retry_after_ms: expect.any(Number) as unknown },
        },
      ])
      const { data } = body.error as { readonly data: { readonly retry_after_ms: number } }
      const ms = data.retry_after_ms
      expect(Number(retryAfter)).toBe(Math.max(1, Math.ceil(ms / 1_000)))
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(min)
      expect(Number(retryAfter)).toBeLessThanOrEqual(max)
    }
    await call()
    expect(upstreams.map(({ received }) => received)).toEqual(upstreams.map(() => [method]))
    // A paused upstream receives no further call.
    if (min === 1) return
    await call()
    expect(upstreams.map(({ received }) => received)).toEqual(upstreams.map(() => [method]))
  })
})

it('a rate limit lasts as long as that of the upstream that is available first', async () => {
  const first = await faultyUpstream('first', { raw: { [method]: busy('30') } })
  const second = await faultyUpstream('second', { raw: { [method]: busy('7') } })
  const gateway = await inFrontOf(`${first.url} ${second.url}`)
  for (let call = 0; call < 2; call += 1)
    expect(await postCall(gateway, method, [])).toMatchObject({ status: 429, retryAfter: '7' })
})

it('a rate limit of one upstream is hidden by the failure of the other one', async () => {
  const first = await faultyUpstream('first', { raw: { [method]: busy('30') } })
  const failure = { status: 500, body: { error: { code: -32_603, message: 'no disk' } } }
  const second = await faultyUpstream('second', { raw: { [method]: failure } })
  const gateway = await inFrontOf(`${first.url} ${second.url}`)
  expect(await postCall(gateway, method, [])).toMatchObject({
    status: 200,
    body: { error: { code: -32_603, message: 'no disk' } },
  })
})

it('a rate limit is an error of each call of a batch, and over a WebSocket', async () => {
  const { url } = await faultyUpstream('only', { raw: { [method]: busy('7') } })
  const gateway = await inFrontOf(`${url}#batch=1`)
  const error = {
    code: -32_005,
    data: { reason: 'upstream busy', retry_after_ms: expect.any(Number) as unknown },
  }
  const calls = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method, params: [] }))
  const response = await fetch(`${gateway.url}/${token}`, { method: 'POST', body: JSON.stringify(calls) })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject([
    { id: 1, error },
    { id: 2, error },
  ])
  const client = await openWebSocket(gateway.wsUrl)
  expect(await client.call(method, [])).toMatchObject({ error })
  client.socket.terminate()
})

it('no call of a client opens a circuit breaker', async () => {
  const [first, second] = [await faultyUpstream('first'), await faultyUpstream('second', { head: 990 })]
  const invalid = { status: 400, body: { error: { code: -32_602, message: 'Invalid params' } } }
  for (const upstream of [first, second]) upstream.raw['eth_getBalance'] = invalid
  const gateway = await inFrontOf(`${first.url} ${second.url}`)
  const params = [`0x${'1'.repeat(40)}`, '0x1']
  for (let call = 0; call < 30; call += 1)
    expect(await postCall(gateway, 'eth_getBalance', params)).toMatchObject({
      status: 200,
      body: { error: { code: -32_602 } },
    })
  expect(gateway.states()).toMatchObject([
    { breaker: 'closed', failures: 0, errorRate: 0 },
    { breaker: 'closed', failures: 0, errorRate: 0 },
  ])
  for (let call = 0; call < 10; call += 1)
    expect((await postCall(gateway, 'eth_blockNumber', [])).body.result).toBe('0x3e8')
})

it.each([
  [401, -32_600],
  [403, -32_600],
  [500, -32_000],
  [503, -32_603],
])('health checks fail with HTTP %i and code %i', async (status, code) => {
  const failure = { status, body: { error: { code, message: 'no' } } }
  const first = await faultyUpstream('first', { raw: { eth_getBlockByNumber: failure } })
  const node = pooledNode(`${first.url} ${(await faultyUpstream('second')).url}`)
  const isFailing = async () => {
    expect(await node.call(method)).toBeDefined()
    expect(node.states()).toMatchObject([{ class: 'failing' }, { class: 'ready' }])
  }
  await vi.waitFor(isFailing, { timeout: 50_000 })
})

it.each([
  [200, { failures: 0 }, 0],
  [400, { failures: 0 }, 0],
  [401, { failures: 1 }, 0],
  [403, { failures: 1 }, 0],
  [429, { failures: 1 }, 1],
  [500, { failures: 0 }, 0],
  [503, { failures: 1 }, 0],
])('an error of a log query with HTTP %i is sent to another upstream', async (status, state, rejections) => {
  const raw = { eth_getLogs: { status, body: { error: { code: -32_000, message: 'no' } } } }
  const first = await faultyUpstream('first', { raw })
  const node = pooledNode(`${first.url} ${(await faultyUpstream('second')).url}`)
  const recordRejection = vi.spyOn(RateBudget.prototype, 'recordRejection')
  expect(await node.call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x9' }])).toBe('second')
  expect(recordRejection).toHaveBeenCalledTimes(rejections)
  recordRejection.mockRestore()
  expect(node.states()).toMatchObject([{ calls: 1, ...state }, { failures: 0 }])
})
