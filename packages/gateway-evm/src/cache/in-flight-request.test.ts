import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type BusyChain, startBusyChain } from '../testing/busy-chain.ts'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { countedNode, cachingNode } from '../testing/caching-upstream.ts'

let chain: BusyChain
beforeAll(async () => {
  chain = await startBusyChain()
}, 60_000)
afterAll(() => chain.stop())

const later = { timeout: 50_000, interval: 10 }
const simulation = ['eth_call', [{ to: `0x${'b002'.padStart(40, '0')}` }, 'latest']] as const

/** A promise with its resolve function. */
function opened() {
  let resolve = () => {}
  const promise = new Promise<undefined>((fulfil) => {
    resolve = () => fulfil(undefined)
  })
  return { promise, resolve: () => resolve() }
}

/** Starts a real upstream that delays its responses to a method until it is released. */
async function heldNode(method: string) {
  const node = await countedNode(chain.node)
  const { promise, resolve } = opened()
  node.scripts.set(method, () => promise)
  const memory = cachingNode(node.url)
  // The first chain head changes the epoch.
  await memory.waitForChain()
  return { node, ...memory, release: resolve }
}

it.each([simulation, ['eth_gasPrice', []] as const])(
  'sends %s once for all concurrent callers',
  async (method, params) => {
    const { node, call, states, release } = await heldNode(method)
    const calls = Array.from({ length: 5 }, () => call(method, params))
    await vi.waitFor(() => expect(states().joins).toBe(4), later)
    release()
    const results = await Promise.all(calls)
    expect(new Set(results)).toHaveLength(1)
    expect(results[0]).toBe(await chain.rpc(method, ...params))
    expect(node.received(method)).toHaveLength(1)
  },
)

it('responds to many callers over several event-loop ticks', async () => {
  const { call, states, release } = await heldNode('eth_call')
  let responded = 0
  const calls = Array.from({ length: 1_000 }, async () => {
    await call(...simulation)
    responded += 1
  })
  await vi.waitFor(() => expect(states().joins).toBe(999), later)
  release()
  await calls[0]
  expect(responded).toBeLessThan(500)
  await Promise.all(calls)
})

it('coalesces no calls of different organizations, as a call waits for the turn of its organization', async () => {
  const { node, call, states, release } = await heldNode('eth_call')
  const callOf = (organizationId: string) => call(...simulation, { organizationId })
  const calls = ['a', 'b', 'a', 'c', 'b', 'a'].map(callOf)
  await vi.waitFor(() => expect(node.received('eth_call')).toHaveLength(3), later)
  expect(states().joins).toBe(3)
  release()
  expect(new Set(await Promise.all(calls))).toHaveLength(1)
  await callOf('b')
  expect(node.received('eth_call')).toHaveLength(4)
})

it('never coalesces a non-idempotent call, nor calls before and after it', async () => {
  const { node, call, release } = await heldNode('eth_call')
  const before = call(...simulation)
  await vi.waitFor(() => expect(node.received('eth_call')).toHaveLength(1), later)
  const sent = ['0x00', '0x00'].map((bytes) => call('eth_sendRawTransaction', [bytes]).catch(() => 'refused'))
  expect(await Promise.all(sent)).toEqual(['refused', 'refused'])
  expect(node.received('eth_sendRawTransaction')).toHaveLength(2)
  const after = call(...simulation)
  await vi.waitFor(() => expect(node.received('eth_call')).toHaveLength(2), later)
  release()
  await Promise.all([before, after])
})

it('does not coalesce with a request from before a newer block', async () => {
  const { node, call, release, memory } = await heldNode('eth_call')
  const before = call(...simulation)
  await vi.waitFor(() => expect(node.received('eth_call')).toHaveLength(1), later)
  memory.chain.observe(Number(await chain.rpc('eth_blockNumber')) + 1)
  const after = call(...simulation)
  await vi.waitFor(() => expect(node.received('eth_call')).toHaveLength(2), later)
  release()
  await Promise.all([before, after])
})

it('responds to the waiters when the first caller disconnects', async () => {
  const { node, call, states, release } = await heldNode('eth_call')
  const first = new AbortController()
  const disconnected = call(...simulation, { signal: first.signal })
  await vi.waitFor(() => expect(node.received('eth_call')).toHaveLength(1), later)
  const other = call(...simulation)
  await vi.waitFor(() => expect(states().joins).toBe(1), later)
  first.abort()
  await expect(disconnected).rejects.toThrow('The upstream is unreachable.')
  release()
  expect(await other).toBe(await chain.rpc(...([simulation[0], ...simulation[1]] as const)))
  expect(node.received('eth_call')).toHaveLength(1)
})

it('cancels the request when the last waiter disconnects', async () => {
  const open: ServerResponse[] = []
  const url = await startTestNode(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    if (body.includes('eth_call')) open.push(response)
    else response.writeHead(500).end()
  })
  const { call, states } = cachingNode(url)
  const aborts = [new AbortController(), new AbortController()]
  const calls = Promise.allSettled(aborts.map(({ signal }) => call(...simulation, { signal })))
  await vi.waitFor(() => expect([open.length, states().joins]).toEqual([1, 1]), later)
  for (const controller of aborts) controller.abort()
  await calls
  await vi.waitFor(() => expect(open[0]?.destroyed).toBe(true), later)
})

it('retries a failed request once for the waiters, but not an error of the node', async () => {
  let isOver = false
  let failures = 0
  let error: object | undefined
  const url = await startTestNode(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { id, method } = JSON.parse(body) as { id: unknown; method: string }
    if (method === 'eth_call') {
      await vi.waitFor(() => expect(isOver).toBe(true), later)
      failures += 1
      if (error) {
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ jsonrpc: '2.0', id, error }))
        return
      }
    }
    response.writeHead(500).end()
  })
  const { call, states } = cachingNode(url)
  const tick = async () => {
    isOver = false
    failures = 0
    const { joins } = states()
    const calls = [0, 1, 2].map(() => call(...simulation).catch(({ message }: Error) => message))
    await vi.waitFor(() => expect(states().joins - joins).toBe(2), later)
    isOver = true
    return [...(await Promise.all(calls)), failures]
  }
  const message = 'The upstream returned HTTP 500.'
  // The two waiters retry once, with one shared request.
  expect(await tick()).toEqual([message, message, message, 2])
  error = { code: 3, message: 'execution reverted', data: '0x' }
  expect(await tick()).toEqual(['execution reverted', 'execution reverted', 'execution reverted', 1])
})

it('returns a long response to the first caller; the waiters send their own requests', async () => {
  const node = await countedNode(chain.node)
  const { promise, resolve } = opened()
  const long = 'x'.repeat(3 * 2 ** 20)
  node.scripts.set('eth_call', async () => {
    await promise
    return { result: long }
  })
  const { call, states } = cachingNode(node.url)
  const calls = [0, 1, 2].map(() => call(...simulation))
  await vi.waitFor(() => expect(states().joins).toBe(2), later)
  resolve()
  expect((await Promise.all(calls)).map((result) => result === long)).toEqual([true, true, true])
  expect(node.received('eth_call')).toHaveLength(3)
})
