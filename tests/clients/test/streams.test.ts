import {
  FairleadError,
  http,
  subscribe,
  type SubscribeOptions,
  type Transport,
  watchBlocks,
  watchLogs,
  webSocket,
} from '@fairlead/evm-rpc'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type DevChain, startDevChain } from './dev-chain.ts'
import { type NodeProxy, startNodeProxy } from './node-proxy.ts'
import { BlockModel, LogModel, read, waitUntil } from './stream-model.ts'

const auth = { kind: 'token', token: 't0k3n' } as const
let chain: DevChain
let proxy: NodeProxy
let stopping: AbortController
let transports: Transport[] = []

beforeAll(async () => {
  chain = await startDevChain()
})
afterAll(() => chain.stop())
beforeEach(async () => {
  proxy = await startNodeProxy(chain.url)
  stopping = new AbortController()
})
afterEach(async () => {
  stopping.abort()
  for (const transport of transports) transport.close?.()
  transports = []
  await proxy.close()
})

function overSocket() {
  const reconnect = { baseMs: 5, maxMs: 50 }
  const transport = webSocket({ url: proxy.url, auth, reconnect, WebSocket })
  transports.push(transport)
  return transport
}

function overHttp(): Transport {
  return http({ url: proxy.url, auth })
}

/**
 * Extends the chain with reorganizations and broken connections, and waits before each until the reader has caught up.
 */
async function injectFaults(
  blocks: number,
  cuts: number,
  depths: readonly number[],
  caughtUp: (height: number) => Promise<boolean>,
): Promise<number> {
  let broken = 0
  const settle = async () => {
    const height = await chain.height()
    await waitUntil(() => caughtUp(height))
  }
  for (let block = 1; block <= blocks; block++) {
    await chain.mine(block % 7 === 0 ? 3 : block % 3 === 0 ? 1 : 0)
    if (block % Math.floor(blocks / cuts) === 0 && broken < cuts) {
      // The reader may still be reconnecting after the previous cut.
      await waitUntil(() => proxy.disconnect() > 0)
      broken++
    }
    const reorg = depths[Math.floor(block / Math.floor(blocks / (depths.length + 1))) - 1]
    if (reorg !== undefined && block % Math.floor(blocks / (depths.length + 1)) === 0) {
      await settle()
      await chain.reorganize(reorg)
    }
  }
  await settle()
  return broken
}

async function canonical(from: number): Promise<string[]> {
  const hashes: string[] = []
  for (let number = from; number <= (await chain.height()); number++) {
    hashes.push((await chain.block(number)).hash as string)
  }
  return hashes
}

describe('every block and log is delivered exactly once', () => {
  it('over a socket that breaks 20 times, through 3 reorganizations, over 520 blocks', async () => {
    const from = (await chain.height()) + 1
    const blocks = new BlockModel()
    const logs = new LogModel()
    const transport = overSocket()
    const { signal } = stopping
    const blockReader = read(watchBlocks(transport, { from, pollingMs: 50, signal }), (event) =>
      blocks.apply(event),
    )
    const logReader = read(watchLogs(transport, {}, { from, pollingMs: 50, signal }), (event) =>
      logs.apply(event),
    )
    const broken = await injectFaults(520, 20, [1, 5, 12], async (height) => {
      expect([blockReader.failure, logReader.failure]).toEqual([undefined, undefined])
      if (blocks.chain.at(-1)?.hash !== (await chain.block(height)).hash) return false
      const latest = (await chain.logs(from, height)).at(-1)
      const last = logs.logs.at(-1)
      return latest?.blockHash === last?.blockHash && latest?.logIndex === last?.logIndex
    })
    stopping.abort()
    await Promise.all([blockReader.done, logReader.done])

    expect(broken).toBe(20)
    expect(blocks.reorgs).toBe(3)
    expect(blocks.chain).toHaveLength(520)
    expect(blocks.blocks).toBe(520 + 1 + 5 + 12)
    expect(blocks.hashes).toEqual(await canonical(from))
    expect(logs.removals).toBeGreaterThan(0)
    expect(logs.logs).toEqual(await chain.logs(from, await chain.height()))
    expect(logs.logs.length).toBeGreaterThan(300)
  }, 300_000)

  it('by polling over HTTP that breaks 10 times', async () => {
    const from = (await chain.height()) + 1
    const blocks = new BlockModel()
    const logs = new LogModel()
    const { signal } = stopping
    const blockReader = read(watchBlocks(overHttp(), { from, pollingMs: 5, signal }), (event) =>
      blocks.apply(event),
    )
    const logReader = read(watchLogs(overHttp(), {}, { from, pollingMs: 5, signal }), (event) =>
      logs.apply(event),
    )
    await injectFaults(120, 10, [2, 7], async (height) => {
      expect([blockReader.failure, logReader.failure]).toEqual([undefined, undefined])
      if (blocks.chain.at(-1)?.hash !== (await chain.block(height)).hash) return false
      const latest = (await chain.logs(from, height)).at(-1)
      return (
        latest?.blockHash === logs.logs.at(-1)?.blockHash && latest?.logIndex === logs.logs.at(-1)?.logIndex
      )
    })
    expect(blocks.reorgs).toBe(2)
    expect(blocks.hashes).toEqual(await canonical(from))
    expect(logs.logs).toEqual(await chain.logs(from, await chain.height()))
  }, 120_000)

  it('when the chain becomes shorter before it grows again', async () => {
    await chain.mine()
    const from = await chain.height()
    for (let mined = 0; mined < 5; mined++) await chain.mine(1)
    const blocks = new BlockModel()
    const { signal } = stopping
    const reader = read(watchBlocks(overSocket(), { from, pollingMs: 20, signal }), (event) =>
      blocks.apply(event),
    )
    await waitUntil(() => blocks.chain.length === 6)
    await chain.call('anvil_rollback', 4)
    await chain.mine(2)
    const { hash } = await chain.block(await chain.height())
    await waitUntil(() => blocks.chain.at(-1)?.hash === hash || reader.failure !== undefined)
    expect(reader.failure).toBeUndefined()
    expect(blocks.hashes).toEqual(await canonical(from))
  })
})

describe('random faults while a stream catches up', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'it ends on the canonical chain (seed %i)',
    async (seed) => {
      await chain.mine()
      const from = await chain.height()
      for (let mined = 0; mined < 12; mined++) await chain.mine(mined % 2)
      const pick = random(seed)
      const blocks = new BlockModel()
      const logs = new LogModel()
      const { signal } = stopping
      const transport = seed % 2 === 0 ? overSocket() : overHttp()
      const options = { from, pollingMs: 3, concurrency: 1 + pick(6), window: 64, signal }
      const readers = [
        read(watchBlocks(transport, { ...options, emit: pick(2) ? 'full' : 'headers' }), (event) =>
          blocks.apply(event as never),
        ),
        read(watchLogs(transport, {}, options), (event) => logs.apply(event)),
      ]
      for (let step = 0; step < 60; step++) {
        const height = await chain.height()
        const depth = 1 + pick(6)
        const fault = pick(10)
        if (fault < 5) for (let mined = 0; mined <= pick(4); mined++) await chain.mine(pick(3))
        else if (fault < 7 && height - depth > from) await chain.reorganize(depth)
        else if (fault < 8 && height - depth > from) await chain.call('anvil_rollback', depth)
        else if (fault < 9) proxy.disconnect()
        else await new Promise((resolve) => setTimeout(resolve, pick(30)))
      }
      await chain.mine(1)
      const last = await chain.height()
      const { hash } = await chain.block(last)
      const latest = (await chain.logs(last, last)).at(-1)
      await waitUntil(
        () =>
          (blocks.chain.at(-1)?.hash === hash &&
            logs.logs.at(-1)?.transactionHash === latest?.transactionHash) ||
          readers.some(({ failure }) => failure !== undefined),
      )
      expect(readers.map(({ failure }) => failure)).toEqual([undefined, undefined])
      expect(blocks.hashes).toEqual(await canonical(from))
      expect(logs.logs).toEqual(await chain.logs(from, last))
    },
    60_000,
  )
})

describe('watchBlocks', () => {
  it('starts at the latest block', async () => {
    await chain.mine(2)
    const first = await watchBlocks(overHttp()).next()
    expect(first.value).toMatchObject({
      type: 'block',
      block: { hash: (await chain.block(await chain.height())).hash },
    })
    expect(first.value).not.toHaveProperty('block.transactions')
  })

  it('returns hashes or full transactions', async () => {
    await chain.mine(2)
    const from = await chain.height()
    const hashes = await watchBlocks(overHttp(), { from, emit: 'hashes' }).next()
    const full = await watchBlocks(overHttp(), { from, emit: 'full' }).next()
    if (hashes.value?.type !== 'block' || full.value?.type !== 'block') throw new Error('expected blocks')
    expect(hashes.value.block.transactions).toHaveLength(2)
    expect(full.value.block.transactions.map(({ hash }) => hash)).toEqual(hashes.value.block.transactions)
  })

  it('does not revert blocks with more confirmations than the configured reorganization depth', async () => {
    const from = (await chain.height()) + 1
    const blocks = new BlockModel()
    const { signal } = stopping
    const reader = read(
      watchBlocks(overSocket(), { from, confirmations: 4, pollingMs: 20, signal }),
      (event) => blocks.apply(event),
    )
    for (let round = 0; round < 5; round++) {
      for (let mined = 0; mined < 5; mined++) await chain.mine()
      const height = await chain.height()
      await waitUntil(() => Number(blocks.chain.at(-1)?.number) >= height - 4 || reader.failure !== undefined)
      expect(Number(blocks.chain.at(-1)?.number)).toBe(height - 4)
      await chain.reorganize(4)
    }
    expect(reader.failure).toBeUndefined()
    expect(blocks.reorgs).toBe(0)
    expect(blocks.hashes).toEqual((await canonical(from)).slice(0, -4))
  })

  it('resumes after a block, and reports a block that the node no longer has', async () => {
    for (let mined = 0; mined < 4; mined++) await chain.mine()
    const { number, hash } = await chain.block((await chain.height()) - 2)
    const position = { number: number as string, hash: hash as string }
    const resumed = await watchBlocks(overHttp(), { from: position }).next()
    expect(resumed.value).toMatchObject({ type: 'block', block: { parentHash: hash } })
    await chain.reorganize(4)
    await expect(watchBlocks(overHttp(), { from: position }).next()).rejects.toMatchObject({
      code: 'STREAM_GAP',
    })
  })

  it('reverts blocks that were delivered before the stream resumed, when the node still has them', async () => {
    await chain.mine()
    const from = await chain.height()
    for (let mined = 0; mined < 3; mined++) await chain.mine(1)
    const retaining = retainingReorged(overHttp())
    const blocks = new BlockModel()
    const first = watchBlocks(retaining, { from })
    for (let event = 0; event < 4; event++) blocks.apply((await first.next()).value as never)
    await first.return?.()
    const tip = blocks.chain.at(-1)
    await chain.reorganize(2)
    await chain.mine()

    const position = { number: tip?.number as string, hash: tip?.hash as string }
    const { signal } = stopping
    read(watchBlocks(retaining, { from: position, signal }), (event) => blocks.apply(event))
    const { hash } = await chain.block(await chain.height())
    await waitUntil(() => blocks.chain.at(-1)?.hash === hash)
    expect(blocks.reorgs).toBe(1)
    expect(blocks.hashes).toEqual(await canonical(from))
  })

  it('ends with STREAM_GAP when a reorganization is deeper than the retained blocks', async () => {
    await chain.mine()
    const from = await chain.height()
    for (let mined = 0; mined < 8; mined++) await chain.mine()
    const blocks = new BlockModel()
    const reader = read(watchBlocks(overHttp(), { from, window: 4, pollingMs: 5 }), (event) =>
      blocks.apply(event),
    )
    await waitUntil(() => blocks.chain.length === 9)
    await chain.reorganize(6)
    await reader.done
    expect(FairleadError.is(reader.failure, 'STREAM_GAP')).toBe(true)
  })

  it('applies backpressure: the number of prefetched blocks is bounded', async () => {
    const from = (await chain.height()) + 1
    for (let mined = 0; mined < 60; mined++) await chain.mine()
    const httpTransport = overHttp()
    let pending = 0
    const counted: Transport = {
      request: (call, options) => {
        pending++
        return httpTransport.request(call, options).finally(() => pending--)
      },
    }
    const stream = watchBlocks(counted, { from, concurrency: 4 })
    for (let event = 0; event < 3; event++) await stream.next()
    // If it requested further ahead, each response would trigger the next request.
    await waitUntil(() => pending === 0)
    expect(proxy.calls.length).toBeLessThan(3 + 4 + 4)
    await stream.return?.()
  })

  it('prefetches into a buffer and ends with STREAM_OVERFLOW when it is full', async () => {
    const from = (await chain.height()) + 1
    for (let mined = 0; mined < 60; mined++) await chain.mine()
    const node = overHttp()
    let requestSignal: AbortSignal | undefined
    const watched: Transport = {
      request: (call, options) => {
        requestSignal = options?.signal
        return node.request(call, options)
      },
    }
    const stream = watchBlocks(watched, { from, buffer: { capacity: 10 } })
    await waitUntil(() => requestSignal?.aborted === true)
    const blocks = new BlockModel()
    const reader = read(stream, (event) => blocks.apply(event))
    await reader.done
    expect(FairleadError.is(reader.failure, 'STREAM_OVERFLOW') && reader.failure.details).toEqual({
      operation: 'watchBlocks',
      capacity: 10,
    })
    expect(blocks.hashes).toEqual((await canonical(from)).slice(0, 10))
    expect(proxy.calls.length).toBeLessThan(30)
  })

  it('ends at once when the signal aborts and when the consumer stops', async () => {
    const transport = overSocket()
    const stream = watchBlocks(transport, { signal: stopping.signal, pollingMs: 60_000 })
    await stream.next()
    const pending = stream.next()
    stopping.abort()
    expect(await pending).toEqual({ done: true, value: undefined })
    const secondStream = watchBlocks(transport, { pollingMs: 60_000 })
    await secondStream.next()
    const waiting = secondStream.next()
    await secondStream.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
    const between = new AbortController()
    await watchBlocks(transport, { signal: between.signal, pollingMs: 60_000 }).next()
    between.abort()
    await waitUntil(() => proxy.calls.filter(({ method }) => method === 'eth_unsubscribe').length === 3)
  })

  it('requests missing blocks from another transport', async () => {
    const from = await chain.height()
    for (let mined = 0; mined < 5; mined++) await chain.mine()
    const backfillProxy = await startNodeProxy(chain.url)
    const backfill = http({ url: backfillProxy.url, auth })
    const stream = watchBlocks(overSocket(), { from, backfill, pollingMs: 60_000 })
    const blocks = new BlockModel()
    for (let event = 0; event < 6; event++) blocks.apply((await stream.next()).value as never)
    const nextEvent = stream.next()
    await waitUntil(() => proxy.calls.some(({ method }) => method === 'eth_subscribe'))
    await chain.mine()
    blocks.apply((await nextEvent).value as never)
    expect(blocks.hashes).toEqual(await canonical(from))
    const requestedBlocks = (node: NodeProxy) =>
      node.calls.filter(({ method, params }) => method === 'eth_getBlockByNumber' && params?.[0] !== 'latest')
    expect(requestedBlocks(backfillProxy).length).toBeGreaterThan(4)
    expect(requestedBlocks(proxy)).toEqual([])
    await stream.return?.()
    await backfillProxy.close()
  })

  it('polls a node that rejects subscriptions', async () => {
    proxy.reject = ({ method }) =>
      method === 'eth_subscribe' ? { code: -32601, message: 'the method does not exist' } : undefined
    const from = (await chain.height()) + 1
    const stream = watchBlocks(overSocket(), { from, pollingMs: 5 })
    for (let mined = 0; mined < 3; mined++) {
      const next = stream.next()
      await chain.mine()
      expect((await next).value).toMatchObject({
        block: { hash: (await chain.block(await chain.height())).hash },
      })
    }
    expect(proxy.calls.filter(({ method }) => method === 'eth_subscribe')).toHaveLength(1)
    await stream.return?.()
  })

  it('ends when its transport closes', async () => {
    const transport = overSocket()
    const stream = watchBlocks(transport, { pollingMs: 60_000 })
    await stream.next()
    const next = stream.next()
    await waitUntil(() => proxy.calls.some(({ method }) => method === 'eth_subscribe'))
    transport.close()
    await expect(next).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED' })
  })

  it('fails when the node stays unreachable', async () => {
    const stream = watchBlocks(http({ url: 'http://127.0.0.1:9', auth, retries: 0 }), { retries: 1 })
    await expect(stream.next()).rejects.toMatchObject({ code: 'TRANSPORT_FAILED' })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })
})

describe('watchLogs', () => {
  it('reads old logs by range and new ones by block', async () => {
    const height = await chain.height()
    const logs = new LogModel()
    const all = await chain.logs(0, height)
    const filter = { address: chain.example.contract }
    const { signal } = stopping
    const reader = read(watchLogs(overHttp(), filter, { from: 0, window: 16, signal }), (event) =>
      logs.apply(event),
    )
    await waitUntil(() => logs.logs.length >= all.length || reader.failure !== undefined)
    expect(reader.failure).toBeUndefined()
    expect(logs.logs).toEqual(all)
    const queries = proxy.calls.filter(({ method }) => method === 'eth_getLogs')
    expect(queries.length).toBeLessThan(40)
  })

  it('resumes after a log in the middle of a block', async () => {
    await chain.mine(3)
    const height = await chain.height()
    await chain.mine(1)
    const [first, ...rest] = await chain.logs(height, height + 1)
    const logs = new LogModel()
    const { signal } = stopping
    read(watchLogs(overHttp(), {}, { from: first as never, signal }), (event) => logs.apply(event))
    await waitUntil(() => logs.logs.length >= rest.length)
    expect(logs.logs).toEqual(rest)
  })

  it('reverts logs from before it resumed, or reports that it cannot', async () => {
    await chain.mine()
    const from = await chain.height()
    for (let mined = 0; mined < 3; mined++) await chain.mine(2)
    const node = retainingReorged(overHttp())
    const logs = new LogModel()
    const first = watchLogs(node, {}, { from: from + 1 })
    for (let event = 0; event < 5; event++) logs.apply((await first.next()).value as never)
    await first.return?.()
    const last = logs.logs.at(-1)
    await chain.reorganize(2)
    await chain.mine(1)
    const { signal } = stopping
    const resumed = read(watchLogs(node, {}, { from: last as never, signal }), (event) => logs.apply(event))
    const expected = await chain.logs(from, await chain.height())
    await waitUntil(() => logs.logs.at(-1)?.transactionHash === expected.at(-1)?.transactionHash)
    expect(resumed.failure).toBeUndefined()
    expect(logs.logs).toEqual(expected)
    const withoutHistory = watchLogs(overHttp(), {}, { from: last as never, retries: 0 })
    await expect(withoutHistory.next()).rejects.toMatchObject({ code: 'STREAM_GAP' })
  })
})

describe('subscribe', () => {
  /** Subscribes, and waits until the node has accepted the subscription. */
  async function subscribed(settings: SubscribeOptions = {}) {
    let markSubscribed = () => {}
    const whenSubscribed = new Promise<void>((resolve) => {
      markSubscribed = resolve
    })
    const heads = subscribe(overSocket(), 'newHeads', undefined, {
      ...settings,
      onSubscribed: () => markSubscribed(),
    })
    await whenSubscribed
    return heads
  }

  it('yields the notifications of the node and ends when the consumer stops', async () => {
    const options = { address: chain.example.contract }
    let mined = Promise.resolve()
    const logs = subscribe(overSocket(), 'logs', options, {
      onSubscribed: () => {
        mined = chain.mine(1)
      },
    })
    expect((await logs.next()).value?.address).toBe(chain.example.contract)
    await mined
    await logs.return?.()
    await waitUntil(() => proxy.calls.some(({ method }) => method === 'eth_unsubscribe'))
  })

  it.each(['drop-oldest', 'drop-newest', 'error'] as const)('heeds the policy %s', async (policy) => {
    const dropped: number[] = []
    const { signal } = stopping
    const buffer = { capacity: 3, policy, onDrop: (count: number) => dropped.push(count) }
    const heads = await subscribed({ signal, buffer })
    const before = await chain.height()
    for (let mined = 0; mined < 10; mined++) await chain.mine()
    if (policy === 'error') {
      await waitUntil(() => proxy.calls.some(({ method }) => method === 'eth_unsubscribe'))
    } else await waitUntil(() => dropped.at(-1) === 10 - 3)
    stopping.abort()
    const numbers: number[] = []
    const reader = read(heads, (head) => numbers.push(Number(head.number) - before))
    await reader.done
    expect(numbers).toEqual(policy === 'drop-oldest' ? [8, 9, 10] : [1, 2, 3])
    expect(FairleadError.is(reader.failure, 'STREAM_OVERFLOW')).toBe(policy === 'error')
  })

  it('reports a connection loss between notifications', async () => {
    let resumed = 0
    const { signal } = stopping
    const heads = await subscribed({ signal, onResumed: () => resumed++ })
    proxy.disconnect()
    await waitUntil(() => resumed > 0)
    await chain.mine()
    expect(Number((await heads.next()).value?.number)).toBe(await chain.height())
    expect(resumed).toBe(1)
  })

  it('is rejected where the transport has no notifications', () => {
    expect(() => subscribe(overHttp(), 'newHeads')).toThrow('CONFIG_INVALID')
  })
})

// A small pseudorandom generator with the same sequence for the same seed.
function random(seed: number): (below: number) => number {
  let state = seed * 7_919
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/**
 * Simulates a node that still has the blocks that were reorganized out, as most nodes have for a while. anvil discards
 * them immediately.
 */
function retainingReorged(transport: Transport): Transport {
  const blocks = new Map<string, unknown>()
  const logs = new Map<string, unknown>()
  return {
    async request(call, options) {
      const [first, flag] = call.params ?? []
      const { blockHash } = (first ?? {}) as { blockHash?: string }
      if (call.method === 'eth_getBlockByHash' && blocks.has(first as string))
        return blocks.get(first as string)
      if (blockHash && logs.has(blockHash)) return logs.get(blockHash)
      const result = await transport.request(call, options)
      const { hash } = (result ?? {}) as { hash?: string }
      if (hash && flag === false) {
        blocks.set(hash, result)
        if (!logs.has(hash)) {
          const params = [{ blockHash: hash }]
          logs.set(hash, await transport.request({ method: 'eth_getLogs', params }, options))
        }
      }
      return result
    },
  }
}
