import { describe, expect, it, vi } from 'vitest'
import { type FaultyUpstream, faultyUpstream } from '../testing/faulty-upstream.ts'
import { pooledNode, type PooledNode } from '../testing/pooled-node.ts'

const later = { timeout: 50_000 }

const hex = (number: number) => `0x${number.toString(16)}`
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const headerOf = (number: number) => ({
  number: hex(number),
  hash: hashOf(number),
  parentHash: hashOf(number - 1),
})

async function until(node: PooledNode, states: readonly object[]): Promise<void> {
  await vi.waitFor(async () => {
    await node.call('eth_gasPrice')
    expect(node.states()).toMatchObject(states)
  }, later)
}

describe('the lag', () => {
  /** Sets the head of an upstream whose blocks have timestamps: four in a second. */
  function setFastHead(upstream: FaultyUpstream, head: number): void {
    upstream.responses['eth_getBlockByNumber'] = ([tag]) => {
      const number = tag === 'latest' ? head : Number(tag)
      return { result: { ...headerOf(number), timestamp: hex(Math.floor(number / 4)) } }
    }
  }

  it('is judged by the block time of the chain, which is measured', async () => {
    const [a, b] = await Promise.all([faultyUpstream('a'), faultyUpstream('b')])
    const node = pooledNode(`${a.url} ${b.url}`)
    const advance = async (states: readonly object[]) => {
      let head = 2_000
      await vi.waitFor(async () => {
        head += 40
        setFastHead(a, head)
        setFastHead(b, head - 32)
        await node.call('eth_gasPrice')
        expect(node.states()).toMatchObject(states)
      }, later)
    }
    setFastHead(a, 1_032)
    setFastHead(b, 1_000)
    await until(node, [{ class: 'ready' }, { class: 'lagging', lag: 32, lagMs: 384_000 }])
    await advance([{ class: 'ready' }, { class: 'ready', lag: 32, lagMs: 8_000 }])
    setFastHead(b, 1_000)
    await until(node, [{ class: 'ready' }, { class: 'stale' }])
  })

  it('is judged by the known block time of a chain until it is measured', async () => {
    const [a, b] = await Promise.all([
      faultyUpstream('a', { chainId: '0xa4b1', head: 1_040 }),
      faultyUpstream('b', { chainId: '0xa4b1' }),
    ])
    const node = pooledNode(`${a.url} ${b.url}`)
    await until(node, [{ class: 'ready' }, { class: 'ready', lag: 40, lagMs: 10_000 }])
    // Within the tolerated lag, a head is trusted without the block.
    expect(a.received).not.toContain('eth_getBlockByNumber')
    a.head = 1_041
    await until(node, [{ class: 'ready' }, { class: 'lagging', lag: 41 }])
  })
})
