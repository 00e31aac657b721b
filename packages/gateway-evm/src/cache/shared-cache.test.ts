import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { pino } from 'pino'
import { DeadlineStore } from '@fairlead/gateway-core/shared-store/deadline-store'
import { openSharedStore } from '@fairlead/gateway-core/shared-store/valkey-store'
import {
  hasRedisServer,
  type RedisServer,
  startRedisServer,
} from '@fairlead/gateway-core/testing/redis-server'
import { type BusyChain, startBusyChain } from '../testing/busy-chain.ts'
import { type CountedNode, countedNode, cachingNode } from '../testing/caching-upstream.ts'

const later = { timeout: 50_000, interval: 20 }
const block = ['0x1', true] as const

describe.skipIf(!hasRedisServer)(
  'responses in the shared store (skipped where there is no redis-server)',
  () => {
    let chain: BusyChain
    let server: RedisServer
    beforeAll(async () => {
      ;[chain, server] = await Promise.all([startBusyChain(), startRedisServer()])
      await chain.rpc('anvil_mine', '0x60')
    }, 60_000)
    afterAll(() => Promise.all([chain.stop(), server.kill()]))

    async function store() {
      const opened = openSharedStore(server.url, pino({ level: 'silent' }), 20_000)
      onTestFinished(() => opened.close())
      await vi.waitFor(() => expect(opened.isUp).toBe(true), later)
      return opened
    }

    beforeEach(async () => {
      await (await store()).run(['FLUSHALL'])
    })

    /** Starts a replica with its own memory cache, and enough data to use the store, which a busy machine may delay. */
    async function replica(node: CountedNode, budgetMs = 20_000) {
      const opened = await store()
      const replicaNode = cachingNode(node.url, { store: new DeadlineStore(opened, budgetMs) })
      await replicaNode.waitForChain()
      await vi.waitFor(async () => {
        await replicaNode.call('eth_getBlockByNumber', ['0x0', true])
        await replicaNode.call('debug_getRawBlock', ['0x0']).catch(() => undefined)
        expect(replicaNode.states().sharedHits + replicaNode.states().sharedMisses).toBeGreaterThan(0)
      }, later)
      return replicaNode
    }

    const callCount = (node: CountedNode) =>
      node
        .received('eth_getBlockByNumber')
        .filter((params) => JSON.stringify(params) === JSON.stringify(block)).length
    const keys = async () => {
      const opened = await store()
      return (await opened.run(['KEYS', 'fairlead-answer-*'])) as readonly string[]
    }

    it('serve another replica, and contain only finalized and long responses', async () => {
      const node = await countedNode(chain.node)
      const first = await replica(node)
      const response = await first.call('eth_getBlockByNumber', block)
      await first.call('eth_getBalance', [chain.example.account, '0x1'])
      await first.call('eth_getBlockByNumber', ['latest', true])
      const before = await vi.waitFor(async () => {
        const found = await keys()
        expect(found.filter((key) => !key.includes('generation')).length).toBeGreaterThan(0)
        return found.length
      }, later)
      expect(callCount(node)).toBe(1)
      const second = await replica(node)
      expect(await second.call('eth_getBlockByNumber', block)).toEqual(response)
      expect(callCount(node)).toBe(1)
      expect(second.states().sharedHits).toBeGreaterThan(0)
      // The response from the store is now in the memory cache.
      const { hits } = second.states()
      await second.call('eth_getBlockByNumber', block)
      expect(second.states().hits).toBe(hits + 1)
      expect((await keys()).length).toBe(before)
      // Another URL of the same chain does not share responses.
      const otherNode = await countedNode(chain.node)
      await (await replica(otherNode)).call('eth_getBlockByNumber', block)
      expect(callCount(otherNode)).toBe(1)
    })

    it('are those of the current upstreams of a node', async () => {
      const [node, other] = [await countedNode(chain.node), await countedNode(chain.node)]
      const first = await replica(node)
      await first.call('eth_getBlockByNumber', block)
      first.changeUpstreams(`${node.url} ${other.url}`)
      await vi.waitFor(async () => {
        const { sharedMisses } = first.states()
        await first.call('debug_getRawBlock', ['0x0']).catch(() => undefined)
        expect(first.states().sharedMisses).toBeGreaterThan(sharedMisses)
      }, later)
      const before = (await keys()).length
      await first.call('eth_getBlockByNumber', ['0x2', true])
      await vi.waitFor(async () => expect((await keys()).length).toBeGreaterThan(before), later)
      const calls = () =>
        [node, other]
          .flatMap(({ received }) => received('eth_getBlockByNumber'))
          .filter(([number]) => number === '0x2')
      const same = await replica({ ...node, url: `${node.url} ${other.url}` })
      await same.call('eth_getBlockByNumber', ['0x2', true])
      expect(calls()).toHaveLength(1)
      await (await replica(node)).call('eth_getBlockByNumber', ['0x2', true])
      expect(calls()).toHaveLength(2)
    })

    it('are ignored when they were written for another call', async () => {
      const node = await countedNode(chain.node)
      const first = await replica(node)
      const before = (await keys()).length
      await first.call('eth_getBlockByNumber', block)
      const opened = await store()
      await vi.waitFor(async () => expect((await keys()).length).toBeGreaterThan(before), later)
      for (const key of await keys()) {
        if (!key.includes('generation'))
          await opened.run(['SET', key, 'fairlead-answer-1\nother\n{"number":"0x0"}'])
      }
      const second = await replica(node)
      expect(await second.call('eth_getBlockByNumber', block)).toMatchObject({ number: '0x1' })
      expect(callCount(node)).toBe(2)
    })

    it('are bypassed while the store hangs or is unavailable', async () => {
      const node = await countedNode(chain.node)
      const first = await replica(node, 20)
      server.pause()
      expect(await first.call('eth_getBlockByNumber', block)).toMatchObject({ number: '0x1' })
      server.resume()
      await server.kill()
      expect(await first.call('eth_getBlockByNumber', ['0x2', true])).toMatchObject({ number: '0x2' })
      await server.start()
    })
  },
)
