import { describe, expect, expectTypeOf, it } from 'vitest'
import { eth_getBalance, eth_getBlockByHash, eth_getBlockByNumber, web3_sha3 } from './actions.ts'
import { createEvmClient } from './client.ts'
import type { Block, BlockWithHashes, BlockWithTransactions, Quantity } from './index.ts'

function recorder() {
  const bodies: unknown[] = []
  const client = createEvmClient({
    url: 'https://node.example.com',
    auth: { kind: 'token', token: 't0k3n' },
    fetch: async (_, init) => {
      bodies.push(JSON.parse(init?.body as string))
      return Response.json({ jsonrpc: '2.0', id: 1, result: null })
    },
  })
  return { client, bodies }
}

describe('an action', () => {
  it('sends its parameters by position', async () => {
    const { client, bodies } = recorder()
    await eth_getBlockByHash(client, '0x12', false)
    expect(bodies).toEqual([{ jsonrpc: '2.0', id: 1, method: 'eth_getBlockByHash', params: ['0x12', false] }])
  })

  it('omits trailing parameters that are not given', async () => {
    const { client, bodies } = recorder()
    await eth_getBalance(client, '0x12', undefined)
    await eth_getBalance(client, '0x12')
    expect(bodies).toMatchObject([{ params: ['0x12'] }, { params: ['0x12'] }])
  })

  it('is typed from the specification, including a literal flag', async () => {
    const { client } = recorder()
    expectTypeOf(await eth_getBalance(client, '0x12')).toExtend<Quantity>()
    expectTypeOf(
      await eth_getBlockByNumber(client, 'latest', true),
    ).toEqualTypeOf<BlockWithTransactions | null>()
    expectTypeOf(await eth_getBlockByNumber(client, 'latest', false)).toEqualTypeOf<BlockWithHashes | null>()
    const flag = Boolean(client)
    expectTypeOf(await eth_getBlockByNumber(client, 'latest', flag)).toEqualTypeOf<Block | null>()
    // @ts-expect-error bytes are text
    await web3_sha3(client, 1)
    // @ts-expect-error the flag is missing
    await eth_getBlockByHash(client, '0x12')
  })

  it('accepts any object with a request function', async () => {
    const requests: unknown[] = []
    const provider = { request: async (call: unknown) => void requests.push(call) }
    await web3_sha3(provider, '0x')
    expect(requests).toEqual([{ method: 'web3_sha3', params: ['0x'] }])
  })
})
