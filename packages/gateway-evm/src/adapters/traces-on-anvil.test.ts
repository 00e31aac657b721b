import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adapted, type AdaptedCall } from '../testing/adapted-node.ts'
import { type BusyChain, contracts, beneficiary, receiver, startBusyChain } from '../testing/busy-chain.ts'

let chain: BusyChain
let rpc: BusyChain['rpc']
let busy: BusyChain['busy']
let example: BusyChain['example']

const unknownHash = `0x${'1'.repeat(64)}`
const fields = (value: unknown) => Object.keys(value as object).toSorted()

const call: AdaptedCall = (...args) => adapted(chain.node)(...args)

beforeAll(async () => {
  chain = await startBusyChain()
  ;({ rpc, busy, example } = chain)
}, 60_000)

afterAll(() => chain.stop())

describe('traces of anvil', () => {
  it.each([[], [{ tracer: 'callTracer' }], [{ tracer: 'prestateTracer' }], [{ tracer: 'flatCallTracer' }]])(
    'of an unknown transaction are an error (%j)',
    async (...options) => {
      const rejection = { code: -32000, message: 'transaction not found' }
      await expect(call('debug_traceTransaction', unknownHash, ...options)).rejects.toMatchObject(rejection)
    },
  )

  it('of a known one are unchanged, empty or not', async () => {
    const trace = await rpc<{ structLogs: unknown[] }>('debug_traceTransaction', busy.hash)
    expect(trace.structLogs.length).toBeGreaterThan(50)
    expect(await call('debug_traceTransaction', busy.hash)).toEqual(trace)
    expect(await call('debug_traceTransaction', busy.hash, { tracer: 'noopTracer' })).toEqual({})
    const snapshot = await rpc('evm_snapshot')
    const transfer = { from: example.account, to: receiver, value: '0x1' }
    const { transactionHash } = await rpc<{ transactionHash: string }>('eth_sendTransactionSync', transfer)
    expect(await call('debug_traceTransaction', transactionHash)).toMatchObject({
      gas: 21_000,
      structLogs: [],
    })
    await rpc('evm_revert', snapshot)
  })

  it('by the flat tracer are those of the trace methods', async () => {
    const options = { tracer: 'flatCallTracer' }
    const flat = await call('debug_traceTransaction', busy.hash, options)
    expect(flat).toEqual(await rpc('trace_transaction', busy.hash))
    const items = [{ txHash: busy.hash, result: flat }]
    expect(await call('debug_traceBlockByNumber', busy.block, options)).toEqual(items)
    expect(await call('debug_traceBlockByHash', busy.blockHash, options)).toEqual(items)
    await expect(call('debug_traceCall', { to: receiver }, 'latest', options)).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('flatCallTracer') as string,
    })
  })

  it('by the mux tracer are returned for each tracer', async () => {
    const tracerConfig = { callTracer: { withLog: true }, '4byteTracer': null, flatCallTracer: {} }
    const options = { tracer: 'muxTracer', tracerConfig }
    const expected = {
      callTracer: await rpc('debug_traceTransaction', busy.hash, {
        tracer: 'callTracer',
        tracerConfig: { withLog: true },
      }),
      '4byteTracer': await rpc('debug_traceTransaction', busy.hash, { tracer: '4byteTracer' }),
      flatCallTracer: await rpc('trace_transaction', busy.hash),
    }
    expect(await call('debug_traceTransaction', busy.hash, options)).toEqual(expected)
    const items = [{ txHash: busy.hash, result: expected }]
    expect(await call('debug_traceBlockByNumber', busy.block, options)).toEqual(items)
    const simulated = await call('debug_traceCall', { to: contracts.busy[0] }, 'latest', {
      tracer: 'muxTracer',
      tracerConfig: { callTracer: {}, prestateTracer: {} },
    })
    expect(fields(simulated)).toEqual(['callTracer', 'prestateTracer'])
    const nested = { tracer: 'muxTracer', tracerConfig: { muxTracer: {} } }
    await expect(call('debug_traceTransaction', busy.hash, nested)).rejects.toMatchObject({ code: -32602 })
  })

  it('of the trace methods are null for unknown blocks and transactions', async () => {
    expect(await call('trace_transaction', unknownHash)).toBeNull()
    expect(await call('trace_transaction', busy.hash)).toEqual(await rpc('trace_transaction', busy.hash))
    const traces = await rpc('trace_block', busy.block)
    for (const block of [busy.block, busy.blockHash, { blockHash: busy.blockHash }]) {
      expect(await call('trace_block', block)).toEqual(traces)
    }
    expect(await call('trace_block', '0x0')).toEqual([])
    for (const block of ['0xffff', unknownHash]) expect(await call('trace_block', block)).toBeNull()
    const replayed = await call('trace_replayBlockTransactions', busy.blockHash, ['trace'])
    expect(replayed).toMatchObject([{ transactionHash: busy.hash }])
  })
})

describe('the explorer methods of anvil', () => {
  it('list every kind of call', async () => {
    const calls = (await call('ots_traceTransaction', busy.hash)) as Record<string, unknown>[]
    const summary = calls.map(({ type, depth, value }) => [type, depth, value])
    expect(summary).toEqual([
      ['CALL', 0, '0xff'],
      ['CALL', 1, '0x1'],
      ['CALL', 1, '0x0'],
      ['STATICCALL', 1, null],
      ['DELEGATECALL', 1, null],
      ['CREATE', 1, '0x2'],
      ['CREATE2', 1, '0x0'],
      ['CALL', 1, '0x0'],
      ['CALL', 1, '0x3'],
      ['SELFDESTRUCT', 2, '0x3'],
    ])
    expect(calls[0]).toEqual({
      type: 'CALL',
      depth: 0,
      from: example.account,
      to: contracts.busy[0],
      value: '0xff',
      input: '0x12345678',
      output: '0x',
    })
    expect(calls[5]).toMatchObject({ input: '0x600160005360016000f3', output: '0x01' })
    expect(calls.at(-1)).toMatchObject({ from: contracts.destroy[0], to: beneficiary, output: null })
    expect(await call('ots_traceTransaction', unknownHash)).toBeNull()
  })

  it('list value transfers, without the transaction itself', async () => {
    const operations = (await call('ots_getInternalOperations', busy.hash)) as Record<string, unknown>[]
    expect(operations.map(({ type, value }) => [type, value])).toEqual([
      [0, '0x1'],
      [2, '0x2'],
      [3, '0x0'],
      [0, '0x3'],
      [1, '0x3'],
    ])
    expect(operations[0]).toEqual({ type: 0, from: contracts.busy[0], to: receiver, value: '0x1' })
    expect(await call('ots_getInternalOperations', unknownHash)).toEqual([])
  })

  it('return a block, or null for an unknown one, by number in any form, by tag and by hash', async () => {
    const details = await rpc('ots_getBlockDetails', busy.block)
    for (const block of [busy.block, Number(busy.block), 'latest']) {
      expect(await call('ots_getBlockDetails', block)).toEqual(details)
    }
    expect(await call('ots_getBlockDetailsByHash', busy.blockHash)).toEqual(details)
    expect(await call('ots_getBlockDetails', '0xffff')).toBeNull()
    expect(await call('ots_getBlockDetails', 0xffff)).toBeNull()
    expect(await call('ots_getBlockDetailsByHash', unknownHash)).toBeNull()
    expect(await call('ots_getBlockTransactions', 0xffff, 0, 5)).toBeNull()
  })

  it('omit call data, logs and blooms in pages', async () => {
    for (const block of [busy.block, Number(busy.block), 'latest']) {
      const page = await call('ots_getBlockTransactions', block, 0, 5)
      expect(page).toMatchObject({
        fullblock: { transactionCount: 1, transactions: [{ hash: busy.hash, input: '0x12345678' }] },
        receipts: [{ transactionHash: busy.hash, logs: null, logsBloom: null }],
      })
      const [receipt] = (page as { receipts: Record<string, unknown>[] }).receipts
      expect(receipt?.['timestamp']).toMatch(/^0x/)
      expect(receipt).not.toHaveProperty('blobGasPrice')
    }
    for (const [method, from] of [
      ['ots_searchTransactionsBefore', 0],
      ['ots_searchTransactionsBefore', '0x0'],
      ['ots_searchTransactionsAfter', busy.block],
    ] as const) {
      const page = (await call(method, receiver, from, 5)) as { txs: object[]; receipts: object[] }
      expect(page.receipts.length).toBe(page.txs.length)
      for (const receipt of page.receipts) expect(receipt).toMatchObject({ logs: null, logsBloom: null })
    }
  })

  it('start a search before a future block at the head', async () => {
    const method = 'ots_searchTransactionsBefore'
    const page = await call(method, receiver, 0, 5)
    expect(page).toMatchObject({ firstPage: true })
    // Anvil without the adapter iterates over all of these numbers, which takes minutes.
    expect(await call(method, receiver, 0xffff_ffff, 5)).toEqual(page)
    expect(await call(method, receiver, '0xffffffff', 5)).toEqual(page)
  })

  it('truncate call data to the selector', async () => {
    const { number } = await rpc<{ number: string }>('eth_getBlockByHash', example.transfer_block_hash, false)
    const page = (await call('ots_getBlockTransactions', number, 0, 5)) as {
      fullblock: { transactions: { input: string }[] }
    }
    expect(page.fullblock.transactions.some(({ input }) => input.length === 10)).toBe(true)
    expect(page.fullblock.transactions.every(({ input }) => input.length <= 10)).toBe(true)
  })

  it('return the error of a failed transaction', async () => {
    expect(await call('ots_getTransactionError', busy.hash)).toBe('0x')
  })
})
