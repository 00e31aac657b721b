import { toRpcError } from '../response/rpc-errors.ts'
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

function responsesOf(
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

describe('upstream selection', () => {
  it('depends on the requirements of the call', async () => {
    const { node } = await three(['roles=full', 'roles=archive', 'roles=debug,trace'])
    expect(new Set(await responsesOf(node, 5))).toEqual(new Set(['a']))
    expect(new Set(await responsesOf(node, 5, 'eth_getBalance', ['0x0', '0x1']))).toEqual(new Set(['b']))
    expect(new Set(await responsesOf(node, 5, 'eth_getLogs', [{ fromBlock: '0x1' }]))).toEqual(new Set(['b']))
    expect(new Set(await responsesOf(node, 5, 'debug_traceTransaction', ['0x0']))).toEqual(new Set(['c']))
    expect(new Set(await responsesOf(node, 5, 'trace_block', ['latest']))).toEqual(new Set(['c']))
  })

  it('falls back to any upstream when none meets the requirements', async () => {
    const { node } = await three(['roles=full', 'roles=full', 'roles=full'])
    expect(['a', 'b', 'c']).toContain(await node.call('debug_traceTransaction', ['0x0']))
  })

  it('selects an archive upstream for history that a full one has pruned', async () => {
    const { node, upstreams } = await three(['roles=full', 'roles=full', 'roles=archive'])
    const pruned = { error: { code: -32000, message: 'missing trie node ' + 'ab'.repeat(32) + ' (path )' } }
    for (const { responses } of upstreams.slice(0, 2)) responses['eth_getBalance'] = pruned
    const block = { blockHash: `0x${'ab'.repeat(32)}` }
    expect(await node.call('eth_getBalance', ['0x0', block])).toBe('c')
  })

  it('skips a cordoned upstream', async () => {
    const { node, upstreams } = await three(['cordoned', '', 'cordoned'])
    expect(new Set(await responsesOf(node, 5))).toEqual(new Set(['b']))
    expect(upstreams[0]?.allReceived).toEqual([])
    expect(node.states()).toMatchObject([{ class: 'cordoned' }, { class: 'ready' }, { class: 'cordoned' }])
  })

  it('fails when all upstreams are cordoned', async () => {
    const { node } = await three(['cordoned', 'cordoned', 'cordoned'])
    await expect(node.call('eth_gasPrice')).rejects.toMatchObject({ status: 503 })
  })

  it('skips an upstream of another chain, also after its chain has changed', async () => {
    const { node, upstreams } = await three([], [{ chainId: '0x1' }])
    expect(new Set(await responsesOf(node, 20))).toEqual(new Set(['b', 'c']))
    const [, second] = upstreams as [FaultyUpstream, FaultyUpstream]
    await second.kill()
    await until(node, [{ class: 'wrong_chain' }, { class: 'failing' }, { class: 'ready' }])
    second.chainId = '0x2'
    await second.revive()
    await until(node, [{ class: 'wrong_chain' }, { class: 'wrong_chain' }, { class: 'ready' }])
    expect(upstreams[0]?.received).toEqual([])
    expect(new Set(await responsesOf(node, 20))).toEqual(new Set(['c']))
    await upstreams[2]?.kill()
    await expect(node.call('eth_gasPrice')).rejects.toThrow('The upstream is unreachable.')
    expect(upstreams[0]?.received).toEqual([])
  })

  it('skips a lagging upstream until it has caught up', async () => {
    const { node, upstreams } = await three([], [{ head: 950 }, {}, { head: 994 }])
    await until(node, [
      { class: 'stale', lag: 50, head: 950 },
      { class: 'ready', lag: 0 },
      { class: 'lagging', lag: 6 },
    ])
    expect(new Set(await responsesOf(node, 10))).toEqual(new Set(['b']))
    for (const upstream of upstreams) upstream.head = 1_001
    await until(node, [{ class: 'ready' }, { class: 'ready' }, { class: 'ready' }])
    expect(new Set(await responsesOf(node, 20))).toEqual(new Set(['a', 'b', 'c']))
  })

  it('selects an upstream that has the required block', async () => {
    const { node } = await three([], [{ head: 999 }, { head: 998 }])
    await until(node, [{ lag: 1 }, { lag: 2 }, { lag: 0 }])
    for (let call = 0; call < 6; call++) {
      expect(await node.call('eth_gasPrice', [], { minBlock: 1_000 })).toBe('c')
      expect(await node.call('eth_getBalance', ['0x0', '0x3e8'])).toBe('c')
    }
  })

  it('respects the rate limit of each upstream', async () => {
    const { node, upstreams } = await three(['rps=5', 'rps=5', ''])
    await responsesOf(node, 60)
    expect(upstreams[0]?.received.length).toBeLessThanOrEqual(6)
    expect(upstreams[1]?.received.length).toBeLessThanOrEqual(6)
  })

  it('returns a limit error when all upstreams are at their limit', async () => {
    const { node } = await three(['rps=2', 'rps=2', 'rps=2'])
    const calls = await Promise.allSettled(Array.from({ length: 30 }, () => node.call('eth_gasPrice')))
    const rejected = calls.filter((call) => call.status === 'rejected')
    // The calls of the first second are sent immediately, those of the next second are queued.
    expect(rejected.length).toBeGreaterThanOrEqual(30 - 6 - 6 - 6)
    expect(toRpcError(rejected[0]?.reason)).toMatchObject({
      code: -32005,
      status: 429,
      data: { reason: 'upstream busy', retry_after_ms: expect.any(Number) as unknown },
    })
  })

  it('skips an upstream that reports a rate limit until its retry delay has passed', async () => {
    const { node, upstreams } = await three([])
    const [first] = upstreams as [FaultyUpstream]
    await responsesOf(node, 3)
    first.fault = 429
    await responsesOf(node, 30)
    const before = first.received.length
    await responsesOf(node, 30)
    expect(first.received.length).toBe(before)
    expect(node.states()[0]).toMatchObject({ class: 'ready', breaker: 'closed' })
  })
})
