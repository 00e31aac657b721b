import type { Method } from '@fairlead/core'
import { document, methods, schemas } from '@fairlead/evm-rpc/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { recipeOf } from './recipes.ts'
import { type ReceivedCall, content, nodeWithResponse, probe } from '../testing/probed-node.ts'

const all: readonly Method[] = Object.values(methods)

describe('a probe call', () => {
  it('neither changes the node nor is large', async () => {
    const received: ReceivedCall[] = []
    const url = await nodeWithResponse((call) => {
      received.push(call)
      return content(call)
    })
    const report = await probe(url)
    expect(report.totals.failed).toBe(0)
    const sent = (name: string) =>
      received.filter(({ method }) => method === name).map(({ params }) => params)
    expect(sent('eth_sendRawTransaction')).toEqual([['0x00']])
    expect(sent('eth_getLogs')).toEqual([[{ fromBlock: '0x10', toBlock: '0x10' }]])
    for (const [transaction] of sent('eth_sendTransaction')) {
      expect(transaction).toMatchObject({ gas: '0x1', value: `0x${'f'.repeat(64)}` })
    }
    // Every created filter is removed: three from their own methods, three more for methods that need a filter.
    const created = received.filter(({ method }) => /^eth_new.*Filter$/.test(method)).length
    expect(created).toBeGreaterThanOrEqual(6)
    expect(sent('eth_uninstallFilter')).toHaveLength(created)
    const names = new Set(received.map(({ method }) => method))
    expect(all.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...names].filter((name) => name !== 'eth_thisMethodDoesNotExist')),
    )
  })

  it('contains an existing block if there is one, else zeros', async () => {
    const received: ReceivedCall[] = []
    const url = await nodeWithResponse((call) => {
      received.push(call)
      return { result: null }
    })
    await probe(url, { methods: ['eth_getBlockByHash', 'eth_getTransactionReceipt', 'eth_getBalance'] })
    const params = received.slice(-3).map((call) => call.params)
    expect(params).toEqual(
      expect.arrayContaining([
        [`0x${'0'.repeat(64)}`, false],
        [`0x${'0'.repeat(64)}`],
        [`0x${'0'.repeat(40)}`, 'latest'],
      ]),
    )
  })

  it('is never sent for a method without a known harmless call', () => {
    for (const name of ['anvil_reset', 'evm_mine', 'debug_setHead', 'eth_somethingNew', 'toString']) {
      const method: Method = { name, idempotent: true, paramStructure: 'by-position', params: [], result: {} }
      expect(recipeOf(method)).toBeUndefined()
    }
  })

  it('has params that the specification allows', async () => {
    const received: ReceivedCall[] = []
    const url = await nodeWithResponse((call) => {
      received.push(call)
      return content(call)
    })
    await probe(url)
    const ajv = new Ajv2020({ strict: false })
    ajv.addSchema({ $id: document, components: { schemas } })
    for (const { name, params } of all) {
      for (const call of received.filter((candidate) => candidate.method === name)) {
        expect(call.params.length).toBeLessThanOrEqual(params.length)
        for (const [position, { required, schema }] of params.entries()) {
          const value = call.params[position]
          if (value === undefined && !required) break
          expect([name, position, ajv.validate(schema, value) || ajv.errorsText()]).toEqual([
            name,
            position,
            true,
          ])
        }
      }
    }
  })

  it('has params for every method of the specification that is not skipped', async () => {
    const url = await nodeWithResponse(content)
    const { totals } = await probe(url)
    expect(totals.skipped).toBe(0)
    expect(totals.available).toBe(all.filter(({ transports }) => transports?.includes('http') ?? true).length)
  })
})
