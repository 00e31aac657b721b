import { describe, expect, it, vi } from 'vitest'
import { faultyUpstream } from '../testing/faulty-upstream.ts'
import { pooledNode, type PooledNode } from '../testing/pooled-node.ts'

function replacedAt(node: PooledNode): number[] {
  const replaced: number[] = []
  node.chain().onReorganized((lowest) => replaced.push(lowest))
  return replaced
}

async function until(node: PooledNode, head: number, prefix = ''): Promise<void> {
  await vi.waitFor(
    () => {
      const latest = node.chain().head
      expect(latest?.number).toBe(head)
      if (prefix !== '') expect(latest?.hash).toContain(prefix)
    },
    { timeout: 50_000 },
  )
}

describe('the chain behind a node', () => {
  it('is not polled while unused, for a single upstream', async () => {
    const upstream = await faultyUpstream('only')
    const node = pooledNode(upstream.url)
    expect(await node.call('eth_gasPrice')).toBe('only')
    expect(upstream.allReceived).toEqual(['eth_gasPrice'])
    await until(node, 1_000)
    expect(node.chain().finalized).toBe(900)
    upstream.head = 1_001
    await until(node, 1_001)
  })

  it('is finalized at a depth when the node does not support the tag', async () => {
    const upstream = await faultyUpstream('only', { finalized: undefined, chainId: '0x1' })
    const node = pooledNode(upstream.url)
    await until(node, 1_000)
    expect(node.chain().finalized).toBe(1_000 - 96)
  })

  it('grows without a reorganization, also when blocks are skipped', async () => {
    const upstream = await faultyUpstream('only')
    const node = pooledNode(upstream.url)
    const replaced = replacedAt(node)
    for (const head of [1_000, 1_001, 1_002, 1_050, 1_300]) {
      upstream.head = head
      await until(node, head)
    }
    expect(replaced).toEqual([])
  })

  it.each([
    ['the head alone', 1_003, 1_003, 1_003],
    ['the head by a longer branch', 1_003, 1_004, 1_003],
    ['several blocks', 1_002, 1_006, 1_002],
    ['blocks by a shorter branch', 1_001, 1_002, 1_001],
    ['nothing but the end', 5_000, 1_001, 1_002],
    ['everything', 1, 1_010, 0],
  ])('reports a reorganization of %s', async (_, from, head, lowest) => {
    const upstream = await faultyUpstream('only')
    const node = pooledNode(upstream.url)
    const replaced = replacedAt(node)
    for (const number of [1_000, 1_001, 1_002, 1_003]) {
      upstream.head = number
      await until(node, number)
    }
    upstream.fork = { from, prefix: 'f0f0' }
    upstream.head = head
    await until(node, head, from <= head ? 'f0f0' : '')
    expect(replaced).toEqual([lowest])
  })

  it('reports only observed blocks as reorganized', async () => {
    const upstream = await faultyUpstream('only')
    const node = pooledNode(upstream.url)
    const replaced = replacedAt(node)
    for (const number of [1_000, 1_100]) {
      upstream.head = number
      await until(node, number)
    }
    upstream.fork = { from: 1_090, prefix: 'f0f0' }
    upstream.head = 1_200
    await until(node, 1_200)
    // Only these headers and their parents were observed.
    expect(replaced).toEqual([1_001])
  })

  it('follows the best upstream while it is healthy', async () => {
    const [first, second] = await Promise.all([
      faultyUpstream('first'),
      faultyUpstream('second', { fork: { from: 1_000, prefix: 'f0f0' } }),
    ])
    const node = pooledNode(`${first.url} ${second.url}`)
    await until(node, 1_000)
    const { hash } = node.chain().head ?? { hash: '' }
    const replaced = replacedAt(node)
    for (let round = 0; round < 5; round++) {
      const polls = [first, second].map(({ allReceived }) => allReceived.length)
      await vi.waitFor(
        () => {
          for (const [index, { allReceived }] of [first, second].entries()) {
            expect(allReceived.length).toBeGreaterThan(polls[index] ?? 0)
          }
        },
        { timeout: 50_000 },
      )
      expect(node.chain().head?.hash).toBe(hash)
    }
    expect(replaced).toEqual([])
    await (hash.includes('f0f0') ? second : first).kill()
    await vi.waitFor(() => expect(replaced).toEqual([1_000]), { timeout: 50_000 })
  })

  it('becomes unknown when no upstream reports it', async () => {
    const upstream = await faultyUpstream('only')
    const node = pooledNode(upstream.url)
    await until(node, 1_000)
    await upstream.kill()
    await vi.waitFor(() => expect(node.chain().head).toBeUndefined(), { timeout: 50_000 })
    expect(node.chain().finalized).toBeUndefined()
  })
})
