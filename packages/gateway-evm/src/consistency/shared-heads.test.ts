import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { pino } from 'pino'
import { DeadlineStore } from '@fairlead/gateway-core/shared-store/deadline-store'
import { openSharedStore } from '@fairlead/gateway-core/shared-store/valkey-store'
import {
  hasRedisServer,
  type RedisServer,
  startRedisServer,
} from '@fairlead/gateway-core/testing/redis-server'
import { type BusyChain, startBusyChain } from '../testing/busy-chain.ts'
import { countedNode, cachingNode } from '../testing/caching-upstream.ts'
import { SharedHeads } from './shared-heads.ts'

const later = { timeout: 50_000, interval: 20 }
const hex = (number: number) => `0x${number.toString(16)}`

describe.skipIf(!hasRedisServer)('heads in the shared store (skipped where there is no redis-server)', () => {
  let chain: BusyChain
  let server: RedisServer
  beforeAll(async () => {
    ;[chain, server] = await Promise.all([startBusyChain(), startRedisServer()])
  }, 60_000)
  afterAll(() => Promise.all([chain.stop(), server.kill()]))

  async function store() {
    const opened = openSharedStore(server.url, pino({ level: 'silent' }), 20_000)
    onTestFinished(() => opened.close())
    await vi.waitFor(() => expect(opened.isUp).toBe(true), later)
    return opened
  }

  const headOf = async () => Number(await chain.rpc('eth_blockNumber'))

  /**
   * Starts a replica whose upstream lags by the given number of blocks, and which waits for the store on a busy
   * machine.
   */
  async function replica(lag: number, timeoutMs = 20_000) {
    const node = await countedNode(chain.node)
    const replicaNode = cachingNode(node.url, { store: new DeadlineStore(await store(), timeoutMs) })
    await replicaNode.waitForChain()
    if (lag > 0) {
      node.scripts.set('eth_blockNumber', async () => ({ result: hex((await headOf()) - lag) }))
      node.scripts.set('eth_getBlockByNumber', async ([block, isFull]) => ({
        result: await chain.rpc(
          'eth_getBlockByNumber',
          block === 'latest' ? hex((await headOf()) - lag) : block,
          isFull,
        ),
      }))
    }
    const head = async (credentialId: string) =>
      Number(await replicaNode.call('eth_blockNumber', [], { credentialId }))
    const block = async (credentialId: string) => {
      const params = ['latest', false]
      const found = await replicaNode.call('eth_getBlockByNumber', params, { credentialId })
      return Number((found as { readonly number: string }).number)
    }
    return { head, block, node }
  }

  it('returns no lower block to a credential on another replica', async () => {
    const [ahead, behind] = await Promise.all([replica(0), replica(3)])
    await chain.rpc('anvil_mine', '0x5')
    const now = await headOf()
    expect(await ahead.head('first')).toBe(now)
    expect([await behind.head('first'), await behind.block('first')]).toEqual([now, now])
    expect(await behind.head('second')).toBe(now - 3)
    expect(await ahead.block('second')).toBe(now)
    expect(await behind.head('second')).toBe(now)
  })

  it('decreases when no replica has the higher block for a while', async () => {
    const heads = new SharedHeads(new DeadlineStore(await store(), 20_000), 600)
    const raised = (number: number) => heads.raise('third', 'chain', number)
    expect(await raised(100)).toBe(100)
    expect(await raised(97)).toBe(100)
    // Another replica reported it, so the block exists.
    expect(await raised(101)).toBe(101)
    expect(await raised(97)).toBe(101)
    await expect.poll(() => raised(98)).toBe(98)
    expect(await raised(97)).toBe(98)
  })

  it('apply to one chain', async () => {
    const heads = new SharedHeads(new DeadlineStore(await store(), 20_000))
    expect(await heads.raise('fifth', 'chain', 100)).toBe(100)
    expect(await heads.raise('fifth', 'next', 7)).toBe(7)
    expect(await heads.raise('fifth', 'chain', 99)).toBe(100)
  })

  it('are ignored while the store is unavailable', async () => {
    const behind = await replica(3, 20)
    await server.kill()
    expect(await behind.head('fourth')).toBe((await headOf()) - 3)
    await server.start()
  })
})
