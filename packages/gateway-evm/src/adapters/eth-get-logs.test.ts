import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BusyChain, startBusyChain } from '../testing/busy-chain.ts'
import { inFrontOf, token } from '../testing/listener-fixture.ts'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'

let chain: BusyChain
let head: number
beforeAll(async () => {
  chain = await startBusyChain()
  await chain.rpc('anvil_mine', '0x14')
  head = Number(await chain.rpc('eth_blockNumber'))
}, 60_000)
afterAll(() => chain.stop())

const hex = (number: number) => `0x${number.toString(16)}`
const query = (method: string, filterText: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${filterText}]}`

interface RpcReply {
  readonly result?: readonly unknown[]
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Returns a function that queries a gateway which limits log queries to ten blocks. */
async function createClient(
  maxLogRange = 10,
): Promise<(filter: unknown, method?: string) => Promise<RpcReply>> {
  const { url } = await inFrontOf(chain.node, { maxLogRange })
  return async (filter, method = 'eth_getLogs') => {
    const body = query(method, typeof filter === 'string' ? filter : JSON.stringify(filter))
    return (await (await fetch(`${url}/${token}`, { method: 'POST', body })).json()) as RpcReply
  }
}

it('has any length when there is no limit', async () => {
  const send = await createClient(0)
  expect((await send({ fromBlock: 'earliest', toBlock: 'latest' })).result).toEqual(
    await chain.rpc('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }),
  )
})

it('is rejected when it spans too many blocks, with an allowed range', async () => {
  const send = await createClient()
  const { transfer_block_hash: blockHash } = chain.example
  const ofBlock = await send({ blockHash })
  expect(ofBlock.result?.length).toBeGreaterThan(0)
  expect(ofBlock.result).toEqual(await chain.rpc('eth_getLogs', { blockHash }))
  for (const filter of [
    {},
    { fromBlock: 'latest' },
    { fromBlock: hex(head - 9) },
    { fromBlock: '0x0', toBlock: '0x9' },
    { fromBlock: 'earliest', toBlock: '0x9' },
    { fromBlock: hex(head - 9), toBlock: 'pending' },
    // The upstream validates an invalid range.
    { fromBlock: '0x9', toBlock: '0x0' },
  ]) {
    expect({ filter, error: (await send(filter)).error?.message }).not.toEqual({
      filter,
      error: expect.stringContaining('at most 10 blocks'),
    })
  }
  for (const [filter, from] of [
    [{ fromBlock: '0x0' }, 0],
    [{ fromBlock: 'earliest', toBlock: 'pending' }, 0],
    [{ fromBlock: '0x1', toBlock: '0xb' }, 1],
    [{ fromBlock: hex(head - 10), toBlock: 'latest' }, head - 10],
    [{ fromBlock: hex(head - 10), blockHash }, head - 10],
    // Duplicate members, of which upstreams use different ones.
    ['{"fromBlock":"0xb","fromBlock":"0x1","toBlock":"0xb"}', 1],
  ] as const) {
    for (const method of ['eth_getLogs', 'erigon_getLogs']) {
      expect({ filter, response: await send(filter, method) }).toEqual({
        filter,
        response: {
          jsonrpc: '2.0',
          id: 1,
          error: {
            code: -32602,
            message: 'The block range must have at most 10 blocks.',
            data: { max_range: 10, from: hex(from), to: hex(from + 9) },
          },
        },
      })
      const [range] = [{ fromBlock: hex(from), toBlock: hex(from + 9) }]
      expect(await send(range, method)).toHaveProperty('result')
    }
  }
})

it('is forwarded as it was parsed', async () => {
  const send = await createClient()
  const twice = `{"toBlock":"0x0","FromBlock":"0x0","fromBlock":"0x0","fromBlock":"${hex(head)}","toBlock":"latest"}`
  expect(await send(twice)).toMatchObject({ result: [] })
  for (const block of [1, '1', '0x', 'LATEST', {}]) {
    expect(await send({ fromBlock: block })).toMatchObject({
      error: { code: -32602, message: 'fromBlock must be a quantity or a block tag.' },
    })
  }
})

it('is also limited in a filter, whose logs can be requested', async () => {
  const send = await createClient()
  expect(await send({ fromBlock: '0x0' }, 'eth_newFilter')).toMatchObject({
    error: { code: -32602, data: { max_range: 10, from: '0x0', to: '0x9' } },
  })
  for (const filter of [{}, { fromBlock: '0x0', toBlock: '0x9' }, { fromBlock: 'latest' }]) {
    expect(await send(filter, 'eth_newFilter')).toMatchObject({ result: expect.stringMatching(/^0x/) })
  }
})

it('is limited over a WebSocket too', async () => {
  const { request: send, socket } = await openWebSocket(
    (await inFrontOf(chain.node, { maxLogRange: 10 })).wsUrl,
  )
  expect(await send(query('eth_getLogs', '{"fromBlock":"0x0"}'))).toMatchObject({
    error: { code: -32602, data: { max_range: 10 } },
  })
  socket.close()
})
