import { describe, expect, it } from 'vitest'
import { adapted, type Scripted, scriptedNode } from '../testing/adapted-node.ts'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { inFrontOf, token } from '../testing/listener-fixture.ts'
import { responseWithCallId } from '@fairlead/gateway-core/testing/with-call-id'

const hash = `0x${'ab'.repeat(32)}`
const erigon = { web3_clientVersion: { result: 'erigon/3.1.0/linux-amd64/go1.24.2' } }
const geth = { web3_clientVersion: { result: 'Geth/v1.16.2-stable-bb2cf6e1/linux-amd64/go1.24.4' } }
const notFound = { code: -32601, message: 'Method not found' }

describe('a native method', () => {
  it('is called first, and not for some time after the node reported it as missing', async () => {
    const header = { number: '0x1', hash }
    const has = await scriptedNode({ eth_getHeaderByHash: { result: header } })
    expect(await adapted(has.url)('eth_getHeaderByHash', hash)).toEqual(header)
    expect(has.received).toEqual([['eth_getHeaderByHash', hash]])
    const lacks = await scriptedNode({
      eth_getBlockByHash: { result: { ...header, transactions: [], uncles: [], size: '0x1' } },
    })
    const call = adapted(lacks.url)
    expect(await call('eth_getHeaderByHash', hash)).toEqual(header)
    expect(await call('eth_getHeaderByHash', hash)).toEqual(header)
    expect(lacks.received.map(([method]) => method)).toEqual([
      'eth_getHeaderByHash',
      'eth_getBlockByHash',
      'eth_getBlockByHash',
    ])
  })

  it('fails with the error of the node in all other cases', async () => {
    const node = await scriptedNode({ eth_baseFee: { error: { code: -32000, message: 'no head' } } })
    await expect(adapted(node.url)('eth_baseFee')).rejects.toMatchObject({ code: -32000, message: 'no head' })
  })
})

describe('an older client', () => {
  const word = `${'0'.repeat(63)}5`
  const older = {
    gas: 21_064,
    failed: false,
    returnValue: '2a',
    structLogs: [
      { pc: 0, op: 'ADD', stack: [], memory: [] },
      {
        pc: 2,
        op: 'SLOAD',
        error: 'ä, ö',
        stack: ['0x2a', '0x5'],
        memory: [word],
        storage: { [word]: word },
      },
    ],
  }
  const normalized = {
    ...older,
    returnValue: '0x2a',
    structLogs: [
      older.structLogs[0],
      { ...older.structLogs[1], memory: [`0x${word}`], storage: { [`0x${word}`]: `0x${word}` } },
    ],
  }

  it.each<[string, unknown, unknown, ...unknown[]]>([
    ['debug_traceTransaction', older, normalized, hash],
    ['debug_traceTransaction', { ...older, structLogs: [] }, { ...normalized, structLogs: [] }, hash],
    ['debug_traceCall', older, normalized, {}, 'latest', { tracer: null }],
    [
      'debug_traceBlockByHash',
      [{ txHash: hash, result: older }],
      [{ txHash: hash, result: normalized }],
      hash,
    ],
    ['debug_traceBlockByNumber', [{ txHash: hash, error: 'no' }], [{ txHash: hash, error: 'no' }], '0x1'],
  ])(
    'gets a 0x prefix for words and bytes of struct logs by %s',
    async (method, result, expected, ...params) => {
      const { url } = await scriptedNode({ [method]: { result } })
      expect(await adapted(url)(method, ...params)).toEqual(expected)
    },
  )

  it('gets it at any chunk boundary of a long trace, and in a batch', async () => {
    const structLogs = Array.from({ length: 50 }, (_, pc) => ({ ...older.structLogs[1], pc }))
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { ...older, structLogs } })
    for (const size of [1, 7, 64, 65, 1_000]) {
      const node = await startTestNode(async (request, response) => {
        const bytes = Buffer.from(await responseWithCallId(request, text))
        response.setHeader('content-type', 'application/json')
        for (let at = 0; at < bytes.length; at += size) {
          response.write(bytes.subarray(at, at + size))
          if (at % (size * 40) === 0) await new Promise((resolve) => setImmediate(resolve))
        }
        response.end()
      })
      const gateway = await inFrontOf(node)
      const call = { jsonrpc: '2.0', id: 1, method: 'debug_traceTransaction', params: [hash] }
      const expected = {
        result: {
          ...normalized,
          structLogs: structLogs.map((_, pc) => ({ ...normalized.structLogs[1], pc })),
        },
      }
      const post = async (body: unknown) => {
        const init = { method: 'POST', body: JSON.stringify(body) }
        return (await fetch(`${gateway.url}/${token}`, init)).json()
      }
      expect(await post(call)).toMatchObject(expected)
      if (size === 1_000) expect(await post([call])).toMatchObject([expected])
    }
  })
})

describe('a truncated trace', () => {
  it('is truncated for the client too', async () => {
    let abortResponse = () => {}
    const text = `{"jsonrpc":"2.0","id":1,"result":{"gas":1,"structLogs":[${'{"pc":1},'.repeat(9_000)}`
    const node = await startTestNode(async (request, response) => {
      response.setHeader('content-type', 'application/json')
      response.write(await responseWithCallId(request, text))
      abortResponse = () => void response.destroy()
    })
    const gateway = await inFrontOf(node)
    const call = { jsonrpc: '2.0', id: 1, method: 'debug_traceTransaction', params: [hash] }
    const response = await fetch(`${gateway.url}/${token}`, { method: 'POST', body: JSON.stringify(call) })
    expect(response.status).toBe(200)
    abortResponse()
    await expect(response.text()).rejects.toThrow()
    expect(gateway.log()).toContain('"status":502')
  })
})

describe('erigon', () => {
  it('returns the results of named tracers unchanged', async () => {
    const { url } = await scriptedNode({ ...erigon, debug_traceCall: { result: { returnValue: '2a' } } })
    const options = { tracer: 'myTracer' }
    expect(await adapted(url)('debug_traceCall', {}, 'latest', options)).toEqual({ returnValue: '2a' })
  })

  it('gets a 0x prefix for the bytes of calls in bundles, and no default timeout', async () => {
    const result = [[{ value: '2a' }, { error: 'execution reverted' }], [{ value: '0x' }]]
    const node = await scriptedNode({ eth_callMany: { result } })
    const call = adapted(node.url)
    const prefixed = [[{ value: '0x2a' }, result[0]?.[1]], result[1]]
    for (const [given, sent] of [
      [
        [[], {}],
        [[], {}],
      ],
      [
        [[], {}, null, 5_000],
        [[], {}],
      ],
      [
        [[], {}, { [hash]: {} }, 5_000],
        [[], {}, { [hash]: {} }],
      ],
      [
        [[], {}, null, 9],
        [[], {}, null, 9],
      ],
    ]) {
      expect(await call('eth_callMany', ...(given as unknown[]))).toEqual(prefixed)
      expect(node.received.at(-1)).toEqual(['eth_callMany', ...(sent as unknown[])])
    }
  })

  it('receives no overrides in place of a flag', async () => {
    const lists = { accessList: [], gasUsed: '0x5208' }
    const node = await scriptedNode({ ...erigon, eth_createAccessList: { result: lists } })
    const call = adapted(node.url)
    expect(await call('eth_createAccessList', {}, 'latest', {})).toEqual(lists)
    expect(node.received.at(-1)).toEqual(['eth_createAccessList', {}, 'latest'])
    await expect(call('eth_createAccessList', {}, 'latest', { [hash]: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('stateOverrides') as string,
    })
    const other = await scriptedNode({ ...geth, eth_createAccessList: { result: lists } })
    await adapted(other.url)('eth_createAccessList', {}, 'latest', { [hash]: {} })
    expect(other.received.at(-1)).toEqual(['eth_createAccessList', {}, 'latest', { [hash]: {} }])
  })

  it('receives no empty overrides, because it accepts fewer params', async () => {
    const node = await scriptedNode({ eth_call: { result: '0x' }, eth_estimateGas: { result: '0x1' } })
    const call = adapted(node.url)
    for (const [given, sent] of [
      [
        [{}, 'latest', {}, {}],
        [{}, 'latest'],
      ],
      [
        [{}, 'latest', { [hash]: {} }, {}],
        [{}, 'latest', { [hash]: {} }],
      ],
      [
        [{}, 'latest', {}, { number: '0x1' }],
        [{}, 'latest', {}, { number: '0x1' }],
      ],
      [
        [{}, 'latest', null],
        [{}, 'latest'],
      ],
      [
        [{}, {}],
        [{}, {}],
      ],
    ] as const) {
      for (const method of ['eth_call', 'eth_estimateGas']) {
        await call(method, ...given)
        expect(node.received.at(-1)).toEqual([method, ...sent])
      }
    }
  })

  it('has the timestamp of an explorer receipt converted to a quantity', async () => {
    const receipt = { transactionHash: hash, logs: [{}], logsBloom: '0x00', timestamp: 255 }
    const { url } = await scriptedNode({
      ots_getBlockTransactions: { result: { fullblock: { transactions: [] }, receipts: [receipt] } },
    })
    expect(await adapted(url)('ots_getBlockTransactions', 1, 0, 5)).toMatchObject({
      receipts: [{ logs: null, logsBloom: null, timestamp: '0xff' }],
    })
  })
})

describe('geth', () => {
  it('has the timestamps of logs fetched once for each block, up to a limit', async () => {
    const logsOf = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ data: '0x', blockNumber: `0x${(at + 1).toString(16)}` }))
    const times = { eth_getBlockByNumber: { result: { timestamp: '0x64' } } }
    const shortList = [...logsOf(2), ...logsOf(2), { data: '0x', blockNumber: '0x9', blockTimestamp: '0x65' }]
    const node = await scriptedNode({ ...times, eth_getLogs: { result: shortList } })
    expect(await adapted(node.url)('erigon_getLogs', {})).toEqual(
      shortList.map((log) => ({ ...log, timestamp: 'blockTimestamp' in log ? '0x65' : '0x64' })),
    )
    expect(node.received.filter(([method]) => method === 'eth_getBlockByNumber')).toHaveLength(2)
    const many = await scriptedNode({ ...times, eth_getLogs: { result: logsOf(257) } })
    await expect(adapted(many.url)('erigon_getLogs', {})).rejects.toMatchObject({ code: -32005 })
    expect(many.received).toHaveLength(2)
  })

  it('has the logs of a range beyond its limit requested in chunks', async () => {
    const limited: Scripted = ([filter]) => {
      const { fromBlock, toBlock } = filter as { readonly fromBlock: string; readonly toBlock: string }
      const blocks = Number(toBlock) - Number(fromBlock) + 1
      if (blocks > 10) return { error: { code: -32602, message: 'exceed maximum block range: 10' } }
      const logs = Array.from({ length: blocks }, (_, at) => ({
        blockNumber: `0x${(Number(fromBlock) + at).toString(16)}`,
        blockTimestamp: '0x64',
      }))
      return { result: logs }
    }
    const node = await scriptedNode({ eth_getLogs: limited })
    const logs = await adapted(node.url)('erigon_getLogs', { fromBlock: '0x1', toBlock: '0x19' })
    expect(logs).toEqual(
      Array.from({ length: 25 }, (_, at) => ({
        blockNumber: `0x${(at + 1).toString(16)}`,
        blockTimestamp: '0x64',
        timestamp: '0x64',
      })),
    )
    const rejection = { error: { code: -32000, message: 'no head', data: [1] } }
    const broken = await scriptedNode({ eth_getLogs: rejection })
    await expect(
      adapted(broken.url)('erigon_getLogs', { fromBlock: '0x1', toBlock: '0x19' }),
    ).rejects.toMatchObject(rejection.error)
  })

  it('uses its native tracers, and receives one request for its client version', async () => {
    const result = { callTracer: {} }
    const node = await scriptedNode({
      ...geth,
      debug_traceTransaction: { result },
      debug_traceCall: { result },
    })
    const call = adapted(node.url)
    const options = { tracer: 'muxTracer', tracerConfig: { callTracer: {} } }
    expect(await call('debug_traceTransaction', hash, options)).toEqual(result)
    expect(await call('debug_traceCall', {}, 'latest', options)).toEqual(result)
    expect(node.received.map(([method]) => method)).toEqual([
      'web3_clientVersion',
      'debug_traceTransaction',
      'debug_traceCall',
    ])
  })

  it('has explorer methods derived from its call tracer', async () => {
    const from = `0x${'1'.repeat(40)}`
    const to = `0x${'2'.repeat(40)}`
    const precompile = `0x${'0'.repeat(39)}4`
    const frame = {
      type: 'CALL',
      from,
      to,
      value: '0x5',
      input: '0x',
      output: '0x',
      gas: '0x1',
      gasUsed: '0x1',
    }
    const inner = { ...frame, from: to, to: precompile, value: '0x0' }
    const reads = { ...inner, type: 'STATICCALL', to: from }
    const { url } = await scriptedNode({
      eth_getTransactionByHash: { result: { blockHash: hash } },
      debug_traceTransaction: {
        result: { ...frame, calls: [inner, { ...frame, from: to, to: from }, reads] },
      },
    })
    const call = adapted(url)
    const entry = { type: 'CALL', depth: 0, from, to, value: '0x5', input: '0x', output: '0x' }
    expect(await call('ots_traceTransaction', hash)).toEqual([
      entry,
      { ...entry, depth: 1, from: to, to: from },
      { ...entry, type: 'STATICCALL', depth: 1, from: to, to: from, value: null },
    ])
    expect(await call('ots_getInternalOperations', hash)).toEqual([
      { type: 0, from: to, to: from, value: '0x5' },
    ])
  })
})

describe('reth', () => {
  it('returns 0x for a transaction that did not fail, and null for unknown blocks', async () => {
    const { url } = await scriptedNode({
      ots_getTransactionError: { result: null },
      ots_getBlockDetails: { error: { code: -32001, message: 'block not found: 0x1' } },
    })
    expect(await adapted(url)('ots_getTransactionError', hash)).toBe('0x')
    expect(await adapted(url)('ots_getBlockDetails', 1)).toBeNull()
  })

  it('does not support the transaction search although it has the method', async () => {
    const { url } = await scriptedNode({
      ots_searchTransactionsBefore: { error: { code: -32603, message: 'unimplemented' } },
    })
    const search = adapted(url)('ots_searchTransactionsBefore', `0x${'1'.repeat(40)}`, 0, 5)
    await expect(search).rejects.toMatchObject({ code: notFound.code })
  })
})

describe('a node of the high-throughput chain', () => {
  it('returns an error for system transactions of an unknown block, with any client', async () => {
    const error = { code: -32603, message: 'invalid block height' }
    const native = await scriptedNode({ eth_getSystemTxsByBlockNumber: { error } })
    await expect(adapted(native.url)('eth_getSystemTxsByBlockNumber', '0xff')).rejects.toMatchObject(error)
    const without = await scriptedNode({ eth_getBlockByNumber: { result: null } })
    await expect(adapted(without.url)('eth_getSystemTxsByBlockNumber', '0xff')).rejects.toMatchObject(error)
  })
})

describe('a node that hides its version', () => {
  it('is treated as an unknown client', async () => {
    const { url } = await scriptedNode({
      web3_clientVersion: { error: notFound },
      debug_traceCall: { result: {} },
    })
    expect(await adapted(url)('debug_traceCall', {}, 'latest', { tracer: 'muxTracer' })).toEqual({})
  })
})

describe('params that go-ethereum accepts', () => {
  const proof = (key: string) => ({ address: '0x1', storageProof: [{ key, value: '0x0', proof: [] }] })

  it('include short storage keys, which other clients reject', async () => {
    const fullKey = `0x${'0'.repeat(64)}`
    const strict = await scriptedNode({
      eth_getProof: ([, keys]) =>
        String(keys) === fullKey
          ? { result: proof(fullKey) }
          : { error: { code: -32602, message: 'odd number of digits' } },
    })
    expect(await adapted(strict.url)('eth_getProof', '0x1', ['0x0'], 'latest')).toEqual(proof('0x0'))
    const tolerant = await scriptedNode({ eth_getProof: ([, keys]) => ({ result: proof(String(keys)) }) })
    expect(await adapted(tolerant.url)('eth_getProof', '0x1', ['0x0'], 'latest')).toEqual(proof('0x0'))
    expect(tolerant.received).toHaveLength(1)
  })

  it('exclude a proof of the pending block, which is not pruned', async () => {
    const message = `missing trie node ${'ab'.repeat(32)} (path ) state is not available`
    const { url } = await scriptedNode({ eth_getProof: { error: { code: -32000, message } } })
    await expect(adapted(url)('eth_getProof', '0x1', [], 'pending')).rejects.toMatchObject({
      code: -32000,
      message,
    })
    await expect(adapted(url)('eth_getProof', '0x1', [], '0x1')).rejects.toMatchObject({ code: 4444 })
  })

  it('include all params of debug_accountRange', async () => {
    const message = 'missing value for required argument 5'
    const strict = await scriptedNode({
      debug_accountRange: (params) =>
        params.length === 6 ? { result: params[5] } : { error: { code: -32602, message } },
    })
    expect(await adapted(strict.url)('debug_accountRange', '0x1', '0x', 1, true, true)).toBe(false)
    const other = await scriptedNode({ debug_accountRange: (params) => ({ result: params.length }) })
    expect(await adapted(other.url)('debug_accountRange', '0x1', '0x', 1, true, true)).toBe(5)
  })

  it.each(['eth_getHeaderByNumber', 'eth_getHeaderByHash'])(
    'include blocks as strings: %s',
    async (method) => {
      const header = { number: '0x15', hash: '0x1' }
      const { url } = await scriptedNode({ [method]: { result: header } })
      for (const block of [21, null, {}, true]) {
        await expect(adapted(url)(method, block)).rejects.toMatchObject({ code: -32602 })
      }
      expect(await adapted(url)(method, '0x15')).toEqual(header)
    },
  )
})

it('rpc_modules returns only offered modules', async () => {
  const modules = {
    admin: '1.0',
    debug: '1.0',
    eth: '1.0',
    miner: '1.0',
    net: '1.0',
    rpc: '1.0',
    web3: '1.0',
  }
  const { url } = await scriptedNode({ rpc_modules: { result: modules } })
  const { admin: _admin, miner: _miner, ...offered } = modules
  expect(await adapted(url)('rpc_modules')).toEqual(offered)
})
