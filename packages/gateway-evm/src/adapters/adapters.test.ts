import { describe, expect, it } from 'vitest'
import { type Behaviour, startTestNode } from '@fairlead/gateway-core/testing/serve'
import { inFrontOf, type ListenerFixture, token } from '../testing/listener-fixture.ts'

const hash = `0x${'ab'.repeat(32)}`

/** Starts an upstream with scripted responses by method, and records the methods that it receives. */
async function nodeWith(responses: Record<string, object>) {
  const received: string[] = []
  const behaviour: Behaviour = async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { id, method } = JSON.parse(text) as { id: unknown; method: string }
    received.push(method)
    const scripted = responses[method] ?? { error: { code: -32601, message: 'unknown' } }
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...scripted }))
  }
  return { received, gateway: await inFrontOf(await startTestNode(behaviour)) }
}

async function call(
  gateway: ListenerFixture,
  path: string,
  method: string,
  params: unknown[] = [],
): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const {
    jsonrpc: _,
    id: __,
    ...response
  } = (await (await fetch(`${gateway.url}/${token}${path}`, { method: 'POST', body })).json()) as Record<
    string,
    unknown
  >
  return response
}

describe('eth_syncing', () => {
  it('is false for the high-throughput chain, and the result of the node for any other', async () => {
    const progress = { result: { startingBlock: '0x0', currentBlock: '0x1', highestBlock: '0x2' } }
    const { received, gateway } = await nodeWith({ eth_syncing: progress })
    expect(await call(gateway, '/evm', 'eth_syncing')).toEqual({ result: false })
    expect(received).toEqual([])
    expect(await call(gateway, '', 'eth_syncing')).toEqual(progress)
  })
})

describe('eth_getSystemTxsByBlockHash', () => {
  const name = 'eth_getSystemTxsByBlockHash'

  it.each([
    { result: [{ hash: '0x1' }] },
    { result: null },
    { error: { code: -32000, message: 'busy', data: 1 } },
  ])('returns %j of a node that has the method', async (response) => {
    const { received, gateway } = await nodeWith({ [name]: response })
    expect(await call(gateway, '/evm', name, [hash])).toEqual(response)
    expect(received).toEqual([name])
  })

  it('derives them from the block of a node without the method, which receives it once', async () => {
    const from = `0x${'2'.repeat(40)}`
    const system = { hash: '0x1', type: '0x0', gasPrice: '0x0', from }
    const bridged = { hash: '0x2', gasPrice: '0x0', from: `0x20${'0'.repeat(35)}1a7` }
    const transactions = [
      system,
      bridged,
      { ...system, type: '0x2' },
      { ...system, gasPrice: '0x1' },
      { ...system, from: `0x${'2'.repeat(39)}3` },
      { ...system, from: `0x21${'0'.repeat(38)}` },
      { ...system, from: `0x20${'0'.repeat(10)}1${'0'.repeat(27)}` },
    ]
    const { received, gateway } = await nodeWith({ eth_getBlockByHash: { result: { transactions } } })
    for (const path of ['/evm', '']) {
      expect(await call(gateway, path, name, [hash])).toEqual({ result: [system, bridged] })
    }
    expect(received).toEqual([name, 'eth_getBlockByHash', 'eth_getBlockByHash'])
  })

  it('fails when the node returns no block', async () => {
    const { gateway } = await nodeWith({ eth_getBlockByHash: { result: { hash } } })
    expect(await call(gateway, '/evm', name, [hash])).toMatchObject({ error: { code: -32603 } })
  })
})

describe('eth_getBlockByHash', () => {
  it('forwards only valid hashes', async () => {
    const block = { result: { hash } }
    const { received, gateway } = await nodeWith({ eth_getBlockByHash: block })
    expect(await call(gateway, '/evm', 'eth_getBlockByHash', ['0x1', true])).toEqual({ result: null })
    expect(received).toEqual([])
    expect(
      await call(gateway, '/evm', 'eth_getBlockByHash', [hash.toUpperCase().replace('0X', '0x'), true]),
    ).toEqual(block)
  })
})

describe('debug_storageRangeAt', () => {
  const name = 'debug_storageRangeAt'
  const params = [hash, 0, `0x${'1'.repeat(40)}`, '0x', 10]

  it('has no slots when the node returns null', async () => {
    const { gateway } = await nodeWith({ [name]: { result: { storage: null, nextKey: null } } })
    expect(await call(gateway, '', name, params)).toEqual({ result: { storage: {}, nextKey: null } })
  })

  it.each([1, 100])('returns %i slots unchanged', async (count) => {
    const slot = (key: number) => [`0x${String(key).padStart(64, '0')}`, { key: null, value: hash }]
    const storage = Object.fromEntries(Array.from({ length: count }, (_, key) => slot(key)))
    const response = { result: { storage, nextKey: hash } }
    const { gateway } = await nodeWith({ [name]: response })
    expect(await call(gateway, '', name, params)).toEqual(response)
  })
})
