import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adapted, type AdaptedCall } from '../testing/adapted-node.ts'
import { type BusyChain, contracts, receiver, startBusyChain } from '../testing/busy-chain.ts'

let chain: BusyChain
let rpc: BusyChain['rpc']
let busy: BusyChain['busy']
let example: BusyChain['example']

const unknownHash = `0x${'1'.repeat(64)}`

const call: AdaptedCall = (...args) => adapted(chain.node)(...args)

beforeAll(async () => {
  chain = await startBusyChain()
  ;({ rpc, busy, example } = chain)
}, 60_000)

afterAll(() => chain.stop())

describe('receipts of anvil', () => {
  it('have their timestamp as a quantity and no blob price without blobs', async () => {
    const original = await rpc<Record<string, unknown>>('eth_getTransactionReceipt', busy.hash)
    expect(original['blockTimestamp']).toBeTypeOf('number')
    expect(original).toHaveProperty('blobGasPrice')
    const receipt = (await call('eth_getTransactionReceipt', busy.hash)) as typeof original
    const { blobGasPrice: _, ...rest } = original
    expect(receipt).toEqual({
      ...rest,
      blockTimestamp: `0x${(original['blockTimestamp'] as number).toString(16)}`,
    })
    expect(await call('eth_getBlockReceipts', busy.block)).toEqual([receipt])
    expect(await call('erigon_getBlockReceiptsByBlockHash', busy.blockHash)).toEqual([receipt])
    expect(await call('eth_getTransactionReceipt', unknownHash)).toBeNull()
    expect(await call('eth_getBlockReceipts', '0xffff')).toBeNull()
  })

  it('return the logs of a block, one list per transaction', async () => {
    const { transfer_block_hash: hash } = example
    const receipts = await rpc<{ logs: unknown[] }[]>('eth_getBlockReceipts', hash)
    expect(receipts.flatMap(({ logs }) => logs).length).toBeGreaterThan(0)
    expect(await call('erigon_getLogsByHash', hash)).toEqual(receipts.map(({ logs }) => logs))
    await expect(call('erigon_getLogsByHash', unknownHash)).rejects.toMatchObject({ code: -32001 })
  })
})

describe('headers from anvil', () => {
  it('are the block without its body, for every tag and number', async () => {
    const block = await rpc<Record<string, unknown>>('eth_getBlockByNumber', busy.block, false)
    const { transactions, uncles, withdrawals, size, ...header } = block
    expect([transactions, uncles, withdrawals, size]).not.toContain(undefined)
    for (const [method, ...params] of [
      ['eth_getHeaderByHash', busy.blockHash],
      ['eth_getHeaderByNumber', busy.block],
      ['erigon_getHeaderByHash', busy.blockHash],
      ['erigon_getHeaderByNumber', busy.block],
      ['erigon_getHeaderByNumber', Number(busy.block)],
      ['erigon_getHeaderByNumber', 'latest'],
    ] as const) {
      expect({ method, params, result: await call(method, ...params) }).toEqual({
        method,
        params,
        result: header,
      })
    }
    for (const method of ['eth_getHeaderByHash', 'erigon_getHeaderByHash']) {
      expect(await call(method, unknownHash)).toBeNull()
    }
    for (const method of ['eth_getHeaderByNumber', 'erigon_getHeaderByNumber']) {
      expect(await call(method, '0xffff')).toBeNull()
      await expect(call(method, null)).rejects.toMatchObject({ code: -32602 })
    }
  })

  it('return the number of a tag', async () => {
    expect(await call('erigon_blockNumber')).toBe(busy.block)
    expect(await call('erigon_blockNumber', 'latest')).toBe(busy.block)
    expect(await call('erigon_blockNumber', 'earliest')).toBe('0x0')
  })
})

describe('the self-description of anvil', () => {
  it('is the same as that of a hosted node', async () => {
    expect(await call('eth_accounts')).toEqual([])
    expect(await rpc('eth_accounts')).not.toEqual([])
    expect(await call('eth_pendingTransactions')).toEqual([])
    expect(await call('eth_protocolVersion')).toMatch(/^0x[1-9a-f][0-9a-f]*$/)
    const { baseFeePerGas } = await rpc<{ baseFeePerGas: string[] }>('eth_feeHistory', '0x1', 'latest', [])
    expect(await call('eth_baseFee')).toBe(baseFeePerGas[1])
    await expect(call('eth_getWork')).rejects.toMatchObject({
      code: -32601,
      message: 'This node does not offer eth_getWork.',
    })
  })

  it('is a clean error when a call reverts or a block does not exist', async () => {
    await expect(call('eth_call', { to: contracts.revert[0] }, 'latest')).rejects.toMatchObject({
      code: 3,
      message: 'execution reverted',
      data: `0x${'dead'.padStart(64, '0')}`,
    })
    await expect(call('eth_getBalance', receiver, '0xffff')).rejects.toMatchObject({ code: -32001 })
  })
})

describe('methods that anvil has under another name', () => {
  it('return the bytes of the transactions of a block', async () => {
    const raw = [await rpc('debug_getRawTransaction', busy.hash)]
    for (const block of [
      busy.block,
      busy.blockHash,
      { blockHash: busy.blockHash },
      { blockNumber: busy.block },
    ]) {
      expect(await call('debug_getRawTransactions', block)).toEqual(raw)
    }
    await expect(call('debug_getRawTransactions', '0xffff')).rejects.toMatchObject({ code: -32001 })
  })

  it('return the logs with the timestamps of their blocks', async () => {
    const filter = { fromBlock: '0x0', toBlock: 'latest' }
    const logs = await rpc<Record<string, unknown>[]>('eth_getLogs', filter)
    expect(logs.length).toBeGreaterThan(0)
    const timed = await Promise.all(
      logs.map(async (log) => {
        const { timestamp } = await rpc<{ timestamp: string }>('eth_getBlockByHash', log['blockHash'], false)
        return { ...log, timestamp }
      }),
    )
    expect(await call('erigon_getLogs', filter)).toEqual(timed)
  })

  it('return blocks by timestamp', async () => {
    const head = Number(busy.block)
    const times: number[] = []
    for (let number = 0; number <= head; number += 1) {
      const block = await rpc<{ timestamp: string }>(
        'eth_getBlockByNumber',
        `0x${number.toString(16)}`,
        false,
      )
      times.push(Number(block.timestamp))
    }
    const first = times[0] ?? 0
    const last = times.at(-1) ?? 0
    for (const time of [
      0,
      first - 1,
      first,
      ...times,
      ...times.map((value) => value + 1),
      last + 1_000_000,
    ]) {
      // The first block with the greatest timestamp that is not later; before all timestamps, the first block.
      const greatest = Math.max(first, ...times.filter((value) => value <= time))
      const expected = time >= last ? head : times.indexOf(greatest)
      const block = (await call('erigon_getBlockByTimestamp', `0x${time.toString(16)}`, false)) as {
        number: string
      }
      expect({ time, number: Number(block.number) }).toEqual({ time, number: expected })
    }
  })

  it('return system transactions and their receipts', async () => {
    const { system_block_hash: hash, system_transaction_hash: system } = example
    const { number } = await rpc<{ number: string }>('eth_getBlockByHash', hash, false)
    const [found, receipts] = [
      await call('eth_getSystemTxsByBlockHash', hash),
      (await call('eth_getBlockReceipts', hash)) as { transactionHash: string; from: string }[],
    ]
    expect(found).toMatchObject([{ hash: system }, {}])
    const ofSystem = receipts.filter(({ from }) => from.startsWith('0x2'))
    expect(ofSystem).toHaveLength(2)
    expect(await call('eth_getEvmSystemTxsByBlockHash', hash)).toEqual(found)
    expect(await call('eth_getEvmSystemTxsByBlockNumber', number)).toEqual(found)
    expect(await call('eth_getEvmSystemTxsReceiptsByBlockHash', hash)).toEqual(ofSystem)
    expect(await call('eth_getEvmSystemTxsReceiptsByBlockNumber', number)).toEqual(ofSystem)
    const both = {
      receipts: receipts.filter((value) => !ofSystem.includes(value)),
      systemTxReceipts: ofSystem,
    }
    for (const block of [hash, number, { blockHash: hash }, { blockNumber: number }]) {
      expect(await call('eth_getBlockReceiptsWithSystemTx', block)).toEqual(both)
    }
    for (const [method, block] of [
      ['eth_getEvmSystemTxsByBlockHash', unknownHash],
      ['eth_getEvmSystemTxsReceiptsByBlockHash', unknownHash],
      ['eth_getEvmSystemTxsReceiptsByBlockNumber', '0xffff'],
      ['eth_getBlockReceiptsWithSystemTx', '0xffff'],
    ] as const) {
      expect(await call(method, block)).toBeNull()
    }
    await expect(call('eth_getEvmSystemTxsByBlockNumber', '0xffff')).rejects.toMatchObject({ code: -32603 })
  })

  it('return the transactions of one sender in the pool', async () => {
    const { account, recipient } = example
    await rpc('evm_setAutomine', false)
    const hash = await rpc('eth_sendTransaction', { from: account, to: receiver, value: '0x1' })
    await rpc('eth_sendTransaction', { from: recipient, to: receiver, value: '0x1' })
    const content = (await call('txpool_contentFrom', account.toUpperCase().replace('0X', '0x'))) as {
      pending: Record<string, unknown>
    }
    expect(Object.values(content.pending)).toMatchObject([{ hash }])
    expect(content).toHaveProperty('queued', {})
    expect(await call('txpool_contentFrom', receiver)).toEqual({ pending: {}, queued: {} })
    for (const malformed of [5, null, {}, { toString: 1 }, '0x1']) {
      await expect(call('txpool_contentFrom', malformed)).rejects.toMatchObject({ code: -32602 })
    }
    await rpc('anvil_dropAllTransactions')
    await rpc('evm_setAutomine', true)
  })
})
