import { toRpcError } from './rpc-errors.ts'
import { describe, expect, it, vi } from 'vitest'
import { type FaultyUpstream, faultyUpstream } from '../testing/faulty-upstream.ts'
import { pooledNode, type PooledNode } from '../testing/pooled-node.ts'

/** Opens a node with three upstreams, each with a URL fragment. */
async function three(fragments: readonly string[], given: readonly Partial<FaultyUpstream>[] = []) {
  const upstreams = await Promise.all(
    ['a', 'b', 'c'].map((name, position) => faultyUpstream(name, given[position])),
  )
  const text = upstreams.map(({ url }, position) => `${url}#${fragments[position] ?? ''}`).join(' ')
  return { upstreams, node: pooledNode(text) }
}

function answersOf(
  node: PooledNode,
  count: number,
  method = 'eth_gasPrice',
  params: readonly unknown[] = [],
) {
  return Promise.all(Array.from({ length: count }, () => node.call(method, params)))
}

async function until(node: PooledNode, states: readonly object[]): Promise<void> {
  await vi.waitFor(
    async () => {
      await node.call('eth_gasPrice').catch(() => undefined)
      expect(node.states()).toMatchObject(states)
    },
    { timeout: 50_000 },
  )
}

describe('the choice of an upstream', () => {
  it('goes by what the call needs', async () => {
    const { node } = await three(['roles=full', 'roles=archive', 'roles=debug,trace'])
    expect(new Set(await answersOf(node, 5))).toEqual(new Set(['a']))
    expect(new Set(await answersOf(node, 5, 'eth_getBalance', ['0x0', '0x1']))).toEqual(new Set(['b']))
    expect(new Set(await answersOf(node, 5, 'eth_getLogs', [{ fromBlock: '0x1' }]))).toEqual(new Set(['b']))
    expect(new Set(await answersOf(node, 5, 'debug_traceTransaction', ['0x0']))).toEqual(new Set(['c']))
    expect(new Set(await answersOf(node, 5, 'trace_block', ['latest']))).toEqual(new Set(['c']))
  })

  it('asks any when none is there for what the call needs', async () => {
    const { node } = await three(['roles=full', 'roles=full', 'roles=full'])
    expect(['a', 'b', 'c']).toContain(await node.call('debug_traceTransaction', ['0x0']))
  })

  it('asks an archive for history that an ordinary upstream has thrown away', async () => {
    const { node, upstreams } = await three(['roles=full', 'roles=full', 'roles=archive'])
    const pruned = { error: { code: -32000, message: 'missing trie node ' + 'ab'.repeat(32) + ' (path )' } }
    for (const { answers } of upstreams.slice(0, 2)) answers['eth_getBalance'] = pruned
    const block = { blockHash: `0x${'ab'.repeat(32)}` }
    expect(await node.call('eth_getBalance', ['0x0', block])).toBe('c')
  })

  it('leaves out a cordoned one', async () => {
    const { node, upstreams } = await three(['cordoned', '', 'cordoned'])
    expect(new Set(await answersOf(node, 5))).toEqual(new Set(['b']))
    expect(upstreams[0]?.heard).toEqual([])
    expect(node.states()).toMatchObject([{ class: 'cordoned' }, { class: 'ready' }, { class: 'cordoned' }])
  })

  it('has nobody to ask when all are cordoned', async () => {
    const { node } = await three(['cordoned', 'cordoned', 'cordoned'])
    await expect(node.call('eth_gasPrice')).rejects.toMatchObject({ status: 503 })
  })

  it('never asks one of another chain, nor one whose chain has changed', async () => {
    const { node, upstreams } = await three([], [{ chainId: '0x1' }])
    expect(new Set(await answersOf(node, 20))).toEqual(new Set(['b', 'c']))
    const [, second] = upstreams as [FaultyUpstream, FaultyUpstream]
    await second.kill()
    await until(node, [{ class: 'wrong chain' }, { class: 'failing' }, { class: 'ready' }])
    second.chainId = '0x2'
    await second.revive()
    await until(node, [{ class: 'wrong chain' }, { class: 'wrong chain' }, { class: 'ready' }])
    expect(upstreams[0]?.asked).toEqual([])
    expect(new Set(await answersOf(node, 20))).toEqual(new Set(['c']))
    await upstreams[2]?.kill()
    await expect(node.call('eth_gasPrice')).rejects.toThrow('The node cannot be reached.')
    expect(upstreams[0]?.asked).toEqual([])
  })

  it('leaves one that lags behind the others, until it has caught up', async () => {
    const { node, upstreams } = await three([], [{ head: 950 }, {}, { head: 994 }])
    await until(node, [
      { class: 'far behind', lag: 50, head: 950 },
      { class: 'ready', lag: 0 },
      { class: 'lagging', lag: 6 },
    ])
    expect(new Set(await answersOf(node, 10))).toEqual(new Set(['b']))
    for (const upstream of upstreams) upstream.head = 1_001
    await until(node, [{ class: 'ready' }, { class: 'ready' }, { class: 'ready' }])
    expect(new Set(await answersOf(node, 20))).toEqual(new Set(['a', 'b', 'c']))
  })

  it('asks those that have a block, where the call says which', async () => {
    const { node } = await three([], [{ head: 999 }, { head: 998 }])
    await until(node, [{ lag: 1 }, { lag: 2 }, { lag: 0 }])
    for (let call = 0; call < 6; call++) {
      expect(await node.call('eth_gasPrice', [], { minBlock: 1_000 })).toBe('c')
      expect(await node.call('eth_getBalance', ['0x0', '0x3e8'])).toBe('c')
    }
  })

  it('asks no upstream more often than it may be asked', async () => {
    const { node, upstreams } = await three(['rps=5', 'rps=5', ''])
    await answersOf(node, 60)
    expect(upstreams[0]?.asked.length).toBeLessThanOrEqual(6)
    expect(upstreams[1]?.asked.length).toBeLessThanOrEqual(6)
  })

  it('says that it is busy when no upstream takes more', async () => {
    const { node } = await three(['rps=2', 'rps=2', 'rps=2'])
    const calls = await Promise.allSettled(Array.from({ length: 30 }, () => node.call('eth_gasPrice')))
    const refused = calls.filter((call) => call.status === 'rejected')
    // The calls of the first second are sent immediately, those of the next second are queued.
    expect(refused.length).toBeGreaterThanOrEqual(30 - 6 - 6 - 6)
    expect(toRpcError(refused[0]?.reason)).toMatchObject({
      code: -32005,
      status: 429,
      data: { reason: 'upstream busy', retry_after_ms: expect.any(Number) as unknown },
    })
  })

  it('leaves one alone that says it is busy, for as long as it says', async () => {
    const { node, upstreams } = await three([])
    const [first] = upstreams as [FaultyUpstream]
    await answersOf(node, 3)
    first.fault = 429
    await answersOf(node, 30)
    const asked = first.asked.length
    await answersOf(node, 30)
    expect(first.asked.length).toBe(asked)
    expect(node.states()[0]).toMatchObject({ class: 'ready', breaker: 'closed' })
  })
})
