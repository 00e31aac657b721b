import { methods } from '@fairlead/evm-rpc/contract'
import { type Served, serve } from '@fairlead/e2e-tests/served'
import { methodCalls } from '@fairlead/gateway-evm/testing/method-calls'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type RequestFn, inBatches, openSocket, overHttp, resultsOf } from './rpc-client.ts'
import { allowedDifferences } from './allowed-differences.ts'
import { Comparison } from './comparison.ts'
import { type Case, casesOf, createContract, fillChain, type Sample } from './geth-cases.ts'
import { type Geth, gethFolder, startGeth } from './geth.ts'
import { canBuildGo } from './go-program.ts'

it('each allowed difference has a specification; there are at most 25', () => {
  expect(allowedDifferences.length).toBeLessThanOrEqual(25)
  for (const { source } of allowedDifferences) {
    expect(source).toMatch(
      /^(?:specs\/evm\/\S+\.yaml|JSON-RPC 2\.0, section [\d.]+|EIP-\d+|execution-apis, \S+): /,
    )
    const [file] = /^specs\S+\.yaml/.exec(source) ?? []
    if (file !== undefined)
      expect(existsSync(resolve(import.meta.dirname, '../../..', file)), file).toBe(true)
  }
})

describe.skipIf(!canBuildGo)('the gateway responds like go-ethereum', () => {
  let folder: Awaited<ReturnType<typeof gethFolder>>
  let geth: Geth
  let gateway: Served
  let sample: Sample
  let cases: readonly Case[]

  beforeAll(async () => {
    folder = await gethFolder()
    geth = await startGeth({ folder: folder.path, flags: ['--dev'] })
    const request = overHttp(geth.httpUrl)
    sample = await fillChain(request)
    cases = casesOf(await methodCalls(request), sample)
    gateway = await serve({
      FAIRLEAD_EVM_UPSTREAM: geth.httpUrl,
      FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: geth.webSocketUrl,
    })
  })
  afterAll(async () => {
    await gateway.remove()
    await geth.stop()
    await folder.remove()
  })

  it('in every method of the contract', () => {
    expect([...new Set(cases.map(({ method }) => method))].toSorted()).toEqual(
      Object.keys(methods).toSorted(),
    )
  })

  it.each(['HTTP', 'batches', 'WebSocket'])('over %s', async (transport) => {
    const both = await requestersOf(transport, geth, gateway)
    const comparison = new Comparison(`differential-${transport}`)
    for (const call of cases) {
      const { method, params } = call
      const [direct, viaGateway] = await Promise.all([
        both.direct(method, params),
        both.viaGateway(method, params),
      ])
      comparison.add(call, direct, viaGateway)
    }
    await comparison.report()
    expect(comparison.different).toEqual([])
  })

  it('in filters with their own ids', async () => {
    const both = [overHttp(geth.httpUrl), overHttp(`${gateway.url}/${gateway.token}`)].map(resultsOf)
    const filter = { fromBlock: 'latest', address: undefined }
    const ids = await Promise.all(
      both.map(async (request) => ({
        logs: await request('eth_newFilter', filter),
        blocks: await request('eth_newBlockFilter'),
      })),
    )
    await createContract(overHttp(geth.httpUrl), sample.account)
    const [direct, viaGateway] = await Promise.all(
      both.map(async (request, at) => [
        await request('eth_getFilterLogs', ids[at]?.logs),
        await request('eth_getFilterChanges', ids[at]?.logs),
        await request('eth_getFilterChanges', ids[at]?.blocks),
        await request('eth_getFilterChanges', ids[at]?.blocks),
        await request('eth_uninstallFilter', ids[at]?.logs),
        await request('eth_uninstallFilter', ids[at]?.logs),
      ]),
    )
    expect(direct).toMatchObject([[{}], [{}], [expect.any(String)], [], true, false])
    expect(viaGateway).toEqual(direct)
  })

  it('in methods that the gateway composes', async () => {
    const request = resultsOf(overHttp(`${gateway.url}/${gateway.token}`))
    const { blockHash, blockNumber, transactionHash } = sample
    const receipts = await request('eth_getBlockReceipts', blockNumber)
    expect(await request('debug_getRawTransactions', blockNumber)).toEqual([
      await request('debug_getRawTransaction', transactionHash),
    ])
    expect(await request('erigon_blockNumber')).toBe(await request('eth_blockNumber'))
    expect(await request('erigon_getBlockReceiptsByBlockHash', blockHash)).toEqual(receipts)
    expect(await request('eth_getBlockReceiptsWithSystemTx', blockNumber)).toMatchObject({ receipts })
    const logs = await request<unknown[][]>('erigon_getLogsByHash', blockHash)
    expect(logs.flat()).toEqual(await request('eth_getLogs', { blockHash }))
    const header = await request<object>('eth_getHeaderByHash', blockHash)
    expect(await request('erigon_getHeaderByNumber', blockNumber)).toMatchObject(header)
    const call = { from: sample.account, to: sample.contract, data: '0x', gas: '0x186a0' }
    const { structLogs } = await request<{ structLogs: readonly object[] }>(
      'debug_traceCall',
      call,
      blockNumber,
      {},
    )
    const context = { blockNumber, transactionIndex: -1 }
    expect(structLogs).toMatchObject([{ op: 'STOP' }])
    expect(await request('debug_traceCallMany', [{ transactions: [call] }], context, {})).toMatchObject([
      { structLogs },
    ])
  })
})

/** Creates callers of geth itself, and through the gateway. */
async function requestersOf(
  transport: string,
  geth: Geth,
  { url, token }: Served,
): Promise<{ readonly direct: RequestFn; readonly viaGateway: RequestFn }> {
  if (transport === 'WebSocket') {
    const direct = await openSocket(geth.webSocketUrl)
    const viaGateway = await openSocket(`${url.replace('http', 'ws')}/ws/${token}`)
    onTestFinished(() => [direct, viaGateway].forEach((socket) => socket.close()))
    return { direct: direct.request, viaGateway: viaGateway.request }
  }
  const connect = transport === 'HTTP' ? overHttp : inBatches
  return { direct: connect(geth.httpUrl), viaGateway: connect(`${url}/${token}`) }
}
