import { describe, expectTypeOf, it } from 'vitest'
import { createEvmClient } from './client.ts'
import type {
  Block,
  BlockWithHashes,
  BlockWithTransactions,
  CallFrame,
  ExecutionTrace,
  MethodName,
  OpcodeTrace,
  PrestateDiff,
  PrestateTrace,
  Quantity,
  TraceOptions,
} from './index.ts'

const evm = createEvmClient({
  url: 'https://node.example.com',
  auth: { kind: 'token', token: 't0k3n' },
  retries: 0,
  fetch: async () => Response.json({ jsonrpc: '2.0', id: 1, result: null }),
})
const hash = `0x${'00'.repeat(32)}`

// The compiler checks these types; at run time the calls only have to run.
describe('the types of a call', () => {
  it('include the result of the method', async () => {
    expectTypeOf(await evm.request({ method: 'eth_blockNumber' })).toEqualTypeOf<Quantity>()
    expectTypeOf(await evm.request({ method: 'ots_getApiLevel', params: [] })).toEqualTypeOf<number>()
    const traces = evm.request({
      method: 'debug_traceCallMany',
      params: [[], { blockNumber: '0x1', transactionIndex: 0 }, {}],
    })
    expectTypeOf(await traces).toEqualTypeOf<ExecutionTrace[]>()
  })

  it('narrow by a literal flag', async () => {
    const hashes = await evm.request({ method: 'eth_getBlockByHash', params: [hash, false] })
    expectTypeOf(hashes).toEqualTypeOf<BlockWithHashes | null>()
    const full = await evm.request({ method: 'eth_getBlockByHash', params: [hash, true] })
    expectTypeOf(full).toEqualTypeOf<BlockWithTransactions | null>()
    const byNumber = await evm.request({ method: 'eth_getBlockByNumber', params: ['latest', true] })
    expectTypeOf(byNumber).toEqualTypeOf<BlockWithTransactions | null>()
  })

  it('narrow by the requested tracer', async () => {
    const trace = <const options extends TraceOptions>(options: options) => options
    const calls = await evm.request({
      method: 'debug_traceTransaction',
      params: [hash, trace({ tracer: 'callTracer', tracerConfig: { withLog: true } })],
    })
    expectTypeOf(calls).toEqualTypeOf<CallFrame>()
    const before = await evm.request({
      method: 'debug_traceTransaction',
      params: [hash, { tracer: 'prestateTracer', tracerConfig: { diffMode: false } }],
    })
    expectTypeOf(before).toEqualTypeOf<PrestateTrace>()
    const changes = await evm.request({
      method: 'debug_traceTransaction',
      params: [hash, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }],
    })
    expectTypeOf(changes).toEqualTypeOf<PrestateDiff>()
    const steps = await evm.request({ method: 'debug_traceTransaction', params: [hash] })
    expectTypeOf(steps).toEqualTypeOf<OpcodeTrace>()
    const result = await evm.request({
      method: 'debug_traceTransaction',
      params: [hash, { tracer: '{ step() {}, fault() {}, result() { return 1 } }' }],
    })
    expectTypeOf(result).not.toEqualTypeOf<OpcodeTrace>()
  })

  it('are a union for a non-literal flag', async () => {
    const flag = Boolean(hash)
    const block = await evm.request({ method: 'eth_getBlockByHash', params: [hash, flag] })
    expectTypeOf(block).toEqualTypeOf<BlockWithHashes | BlockWithTransactions | null>()
    expectTypeOf(block).toExtend<Block | null>()
  })

  it('reject methods that the specification does not have', async () => {
    // @ts-expect-error no such method
    await evm.request({ method: 'eth_mine' })
    // @ts-expect-error the hash is missing
    await evm.request({ method: 'eth_getBlockByHash' })
    // @ts-expect-error the flag is missing
    await evm.request({ method: 'eth_getBlockByHash', params: [hash] })
    // @ts-expect-error the order is hash, then flag
    await evm.request({ method: 'eth_getBlockByHash', params: [false, hash] })
    // @ts-expect-error one parameter too many
    await evm.request({ method: 'eth_getBlockByHash', params: [hash, false, 1] })
    // @ts-expect-error the method has no parameters
    await evm.request({ method: 'eth_chainId', params: ['latest'] })
    // @ts-expect-error a number is not a quantity
    await evm.request({ method: 'eth_getBlockByNumber', params: [1, false] })
    // @ts-expect-error this chain does not support parameters by name
    await evm.request({ method: 'eth_getCode', params: { address: '0x' } })
  })

  it('list the methods of the specification by name', () => {
    expectTypeOf<'eth_getSystemTxsByBlockHash'>().toExtend<MethodName>()
    expectTypeOf<'eth_mine'>().not.toExtend<MethodName>()
  })

  it('accept only credentials of a node', () => {
    const create = () => {
      // @ts-expect-error bearer keys are for the platform API
      createEvmClient({ url: 'https://node.example.com', auth: { kind: 'bearer', key: 'k' } })
    }
    expectTypeOf(create).toBeFunction()
  })
})
