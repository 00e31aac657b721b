import { createHmac } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { createEncryptor } from '@fairlead/gateway-core/credentials/encryption'
import { grantWith } from '@fairlead/gateway-core/testing/limited-grant'
import { type FaultyUpstream, faultyUpstream } from '../testing/faulty-upstream.ts'
import { pooledNode, type PooledNode } from '../testing/pooled-node.ts'

/** Starts upstreams that number their filters, each from 1. */
async function numbering(count = 3) {
  const upstreams = await Promise.all(['a', 'b', 'c'].slice(0, count).map((name) => faultyUpstream(name)))
  for (const [index, { responses }] of upstreams.entries()) {
    let last = 0
    responses['eth_newFilter'] = () => ({ result: `0x${(last += 1)}` })
    responses['eth_getFilterChanges'] = ([id]) => ({ result: `${'abc'.charAt(index)} ${String(id)}` })
    responses['eth_uninstallFilter'] = () => ({ result: true })
  }
  return { upstreams, text: upstreams.map(({ url }) => url).join(' ') }
}

async function newFilter(node: PooledNode, owner = 'node'): Promise<string> {
  return String(await node.call('eth_newFilter', [{}], { grant: grantWith({ nodeId: owner }) }))
}

async function changes(node: PooledNode, id: unknown, owner = 'node'): Promise<string> {
  return String(await node.call('eth_getFilterChanges', [id], { grant: grantWith({ nodeId: owner }) }))
}

async function failing(node: PooledNode, position: number): Promise<void> {
  await vi.waitFor(
    async () => {
      await node.call('eth_gasPrice')
      expect(node.states()[position]).toMatchObject({ class: 'failing' })
    },
    { timeout: 50_000 },
  )
}

describe('a filter', () => {
  it('is read from the upstream that created it, although others use the same id', async () => {
    const { text } = await numbering()
    const node = pooledNode(text)
    const ids = await Promise.all(Array.from({ length: 6 }, () => newFilter(node)))
    expect(new Set(ids).size).toBe(6)
    for (const id of ids) expect(id).toMatch(/^0x1[0-9a-f]{16}[12]$/)
    const found = await Promise.all(ids.map((id) => changes(node, id)))
    expect(found.toSorted()).toEqual(['a 0x1', 'a 0x2', 'b 0x1', 'b 0x2', 'c 0x1', 'c 0x2'])
  })

  it.each(['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter'])(
    'has an id that is a string, also for %s',
    async (method) => {
      const { text } = await numbering()
      for (const node of [pooledNode(text), pooledNode(text.split(' ')[0] ?? '')]) {
        for (const id of [null, 5, {}, undefined]) {
          await expect(node.call(method, [id])).rejects.toMatchObject({ code: -32602 })
        }
      }
    },
  )

  it('is found by another process with another order of upstreams', async () => {
    const { text } = await numbering()
    const secretKey = new Uint8Array(32).fill(7)
    const [first, second, otherOwner] = [
      pooledNode(text, createEncryptor(secretKey)),
      pooledNode(text.split(' ').toReversed().join(' '), createEncryptor(secretKey)),
      pooledNode(text, createEncryptor(secretKey.fill(8))),
    ]
    for (let call = 0; call < 6; call++) {
      const id = await newFilter(first)
      expect(await changes(second, id)).toBe(await changes(first, id.toUpperCase().replace('X', 'x')))
      await expect(changes(otherOwner, id)).rejects.toThrow('filter not found')
    }
  })

  it('is not found by a client that guesses the URL of the upstream', async () => {
    const { text } = await numbering(1)
    const node = pooledNode(text)
    await newFilter(node)
    const mark = createHmac('sha256', text).update('node 1').digest('hex').slice(0, 16)
    await expect(changes(node, `0x1${mark}1`)).rejects.toThrow('filter not found')
  })

  it.each([1, 3])('of one node is not found on another, with %s upstreams', async (count) => {
    const { text, upstreams } = await numbering(count)
    const node = pooledNode(text)
    const id = await newFilter(node)
    const guessed = [
      id.replace(/.$/, '2'),
      id.replace(/^0x1./, (prefix) => (prefix === '0x1f' ? '0x1e' : '0x1f')),
    ]
    for (const other of [...guessed, '0x1', '1', `0x1${'0'.repeat(17)}`]) {
      await expect(changes(node, other)).rejects.toMatchObject({ code: -32000, message: 'filter not found' })
    }
    await expect(changes(node, id, 'another')).rejects.toThrow('filter not found')
    expect(await node.call('eth_uninstallFilter', [id], { grant: grantWith({ nodeId: 'another' }) })).toBe(
      false,
    )
    expect(upstreams.flatMap(({ received }) => received)).toEqual(['eth_newFilter'])
    expect(await changes(node, id)).toMatch(/0x1$/)
    expect(await node.call('eth_uninstallFilter', [id], { grant: grantWith({ nodeId: 'node' }) })).toBe(true)
  })

  it('of a removed upstream is not found, and the next one is created on another upstream', async () => {
    const { text, upstreams } = await numbering(2)
    const node = pooledNode(text)
    const ids = await Promise.all([newFilter(node), newFilter(node)])
    await (upstreams[0] as FaultyUpstream).kill()
    await failing(node, 0)
    const found = await Promise.allSettled(ids.map((id) => changes(node, id)))
    expect(found.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(found).toContainEqual({ status: 'fulfilled', value: 'b 0x1' })
    await expect(changes(node, ids[found[0]?.status === 'rejected' ? 0 : 1])).rejects.toThrow(
      'filter not found',
    )
    expect(await changes(node, await newFilter(node))).toBe('b 0x2')
    await (upstreams[0] as FaultyUpstream).revive()
    await vi.waitFor(
      async () => {
        const recreated = await Promise.all(ids.map((id) => changes(node, id)))
        expect(recreated.toSorted()).toEqual(['a 0x1', 'b 0x1'])
      },
      { timeout: 50_000 },
    )
  })

  it('passes an id that is not a quantity, and an error, through unchanged', async () => {
    const { text, upstreams } = await numbering(1)
    const node = pooledNode(text)
    const { responses } = upstreams[0] as FaultyUpstream
    responses['eth_newFilter'] = { result: 'seven' }
    expect(await newFilter(node)).toBe('seven')
    responses['eth_newFilter'] = { error: { code: -32005, message: 'too many filters' } }
    await expect(newFilter(node)).rejects.toThrow('too many filters')
  })
})
