import { watchStartedTimers } from '@fairlead/vitest/started-timers'
import { describe, expect, it, vi } from 'vitest'
import { http } from './http.ts'
import { retry, type RetryOptions } from './retry.ts'
import {
  failure,
  type NodeServer,
  ok,
  refused,
  type NodeResponse,
  startNodeServer,
} from './testing/node-server.ts'

const chain = { method: 'eth_chainId' }
const raw = { method: 'eth_sendRawTransaction', params: ['0x00'] }

const open = (node: NodeServer, options: RetryOptions = {}) =>
  retry(http({ url: node.url, auth: { kind: 'token', token: 't0k3n' } }), { baseMs: 1, ...options })

/** Makes the node send these responses in order, then a successful one. */
function respondWith(node: NodeServer, ...responses: NodeResponse[]): void {
  node.respond = () => responses.shift() ?? ok('0x1')
}

describe('a rejected call', () => {
  it.each<[string, NodeResponse]>([
    ['too many calls', refused(-32005)],
    ['429', refused(429)],
    ['the reason rate', refused(-32000, '', { reason: 'rate' })],
    ['a busy gateway', refused(-32005, '', { reason: 'busy', retry_after_ms: 1 })],
    ['a busy upstream', refused(-32005, '', { reason: 'upstream busy', retry_after_ms: 1 })],
    ['an internal error', refused(-32603)],
    ['an unavailable resource', refused(-32002)],
  ])('is retried after %s', async (_, response) => {
    const node = await startNodeServer()
    respondWith(node, response, response)
    expect(await open(node).request(chain)).toBe('0x1')
    expect(node.calls).toHaveLength(3)
  })

  it.each<[string, NodeResponse]>([
    ['a quota', refused(-32005, '', { reason: 'quota', retry_after_ms: 1 })],
    ['a revert', refused(3, 'execution reverted', '0x')],
    ['a revert as an internal error', refused(-32603, 'VM Exception: reverted with reason')],
    ['wrong parameters', refused(-32602)],
    ['a server error', refused(-32000, 'nonce too low')],
    ['a pause beyond the limit', refused(-32005, '', { reason: 'rate', retry_after_ms: 31_000 })],
  ])('is final after %s', async (_, response) => {
    const node = await startNodeServer()
    respondWith(node, response)
    expect((await failure(open(node).request(chain))).code).toBe('RPC_ERROR')
    expect(node.calls).toHaveLength(1)
  })

  it('that changes state is retried only if it was not executed', async () => {
    const node = await startNodeServer()
    respondWith(node, refused(-32603))
    expect((await failure(open(node).request(raw))).details).toMatchObject({ rpcCode: -32603 })
    respondWith(node, refused(-32005))
    expect(await open(node).request(raw)).toBe('0x1')
    expect(node.calls).toHaveLength(3)
  })

  it('fails with the last error after the maximum number of attempts', async () => {
    const node = await startNodeServer()
    node.respond = () => refused(-32005, `${node.calls.length}`)
    const error = await failure(open(node, { attempts: 4 }).request(chain))
    expect(error.details).toMatchObject({ detail: '4' })
    expect((await failure(open(node, { attempts: 1 }).request(chain))).details).toMatchObject({ detail: '5' })
  })

  it.each<[string, object]>([
    ['a node', {}],
    ['a rate limit', { reason: 'rate' }],
    ['a busy gateway', { reason: 'busy' }],
    ['a busy upstream', { reason: 'upstream busy' }],
  ])('waits as long as %s requests', async (_, data) => {
    const node = await startNodeServer()
    respondWith(node, refused(-32005, '', { ...data, retry_after_ms: 123 }))
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await open(node).request(chain)
    const waits = timers.mock.calls.map(([, ms]) => ms ?? 0)
    expect(waits.filter((ms) => ms >= 123 && ms <= 124)).toHaveLength(1)
  })

  it('stops waiting when its signal aborts', async () => {
    const node = await startNodeServer()
    const controller = new AbortController()
    const reason = new Error('enough')
    node.respond = () => refused(-32005, '', { retry_after_ms: 20_000 })
    const timerStarted = watchStartedTimers()
    const call = open(node).request(chain, { signal: controller.signal })
    const failed = expect(call).rejects.toBe(reason)
    await timerStarted(20_000)
    controller.abort(reason)
    await failed
    expect(node.calls).toHaveLength(1)
  })

  it('is not retried when it is closed in the meantime', async () => {
    const node = await startNodeServer()
    node.respond = () => refused(-32005, '', { retry_after_ms: 20_000 })
    const transport = open(node)
    const timerStarted = watchStartedTimers()
    const call = failure(transport.request(chain))
    await timerStarted(20_000)
    transport.close?.()
    expect(await call).toMatchObject({ code: 'TRANSPORT_CLOSED', details: { operation: 'eth_chainId' } })
    expect(node.calls).toHaveLength(1)
  })

  it('is retried for errors that the caller selects instead of the default ones', async () => {
    const node = await startNodeServer()
    const shouldRetry: RetryOptions['shouldRetry'] = (error) => String(error).includes('-32000')
    respondWith(node, refused(-32000), refused(-32005))
    const error = await failure(open(node, { shouldRetry }).request(chain))
    expect(error.details).toMatchObject({ rpcCode: -32005 })
  })
})

it('retries only rejected calls of a batch', async () => {
  const node = await startNodeServer()
  let refusals = 0
  node.respond = ({ method }) =>
    method === 'eth_chainId' || refusals++ > 0 ? ok(method) : refused(-32005, '', { retry_after_ms: 1 })
  const transport = open(node)
  const outcomes = await transport.batch?.([chain, { method: 'eth_blockNumber' }, chain])
  expect(outcomes).toMatchObject([
    { value: 'eth_chainId' },
    { value: 'eth_blockNumber' },
    { value: 'eth_chainId' },
  ])
  expect(node.calls.map(({ method }) => method)).toEqual([
    'eth_chainId',
    'eth_blockNumber',
    'eth_chainId',
    'eth_blockNumber',
  ])
})

it('rejects invalid numbers', async () => {
  const node = await startNodeServer()
  expect(() => open(node, { attempts: 0 })).toThrow('Invalid value of attempts: ')
  expect(() => open(node, { maxMs: -1 })).toThrow('Invalid value of maxMs: ')
})
