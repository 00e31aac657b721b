import { methods } from '@fairlead/evm-rpc/contract'
import { type Served, serve } from '@fairlead/e2e-tests/served'
import { methodCalls } from '@fairlead/gateway-evm/testing/method-calls'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Ask, inBatches, openSocket, overHttp, resultsOf } from './rpc-client.ts'
import { allowedDifferences } from './allowed-differences.ts'
import { Comparison } from './comparison.ts'
import { type Case, casesOf, createContract, fillChain, type Sample } from './geth-cases.ts'
import { type Geth, gethFolder, startGeth } from './geth.ts'
import { canBuildGo } from './go-program.ts'

it('differences are allowed by a specification each, and by 25 at most', () => {
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

describe.skipIf(!canBuildGo)('the gateway answers like go-ethereum', () => {
  let folder: Awaited<ReturnType<typeof gethFolder>>
  let geth: Geth
  let gateway: Served
  let sample: Sample
  let cases: readonly Case[]

  beforeAll(async () => {
    folder = await gethFolder()
    geth = await startGeth({ folder: folder.path, flags: ['--dev'] })
    const ask = overHttp(geth.httpUrl)
    sample = await fillChain(ask)
    cases = casesOf(await methodCalls(ask), sample)
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
    const both = await askersOf(transport, geth, gateway)
    const comparison = new Comparison(`differential-${transport}`)
    for (const call of cases) {
      const { method, params } = call
      const [direct, through] = await Promise.all([both.direct(method, params), both.through(method, params)])
      comparison.add(call, direct, through)
    }
    await comparison.report()
    expect(comparison.different).toEqual([])
  })

  it('in filters, which each side names itself', async () => {
    const both = [overHttp(geth.httpUrl), overHttp(`${gateway.url}/${gateway.token}`)].map(resultsOf)
    const filter = { fromBlock: 'latest', address: undefined }
    const ids = await Promise.all(
      both.map(async (ask) => ({
        logs: await ask('eth_newFilter', filter),
        blocks: await ask('eth_newBlockFilter'),
      })),
    )
    await createContract(overHttp(geth.httpUrl), sample.account)
    const [direct, through] = await Promise.all(
      both.map(async (ask, at) => [
        await ask('eth_getFilterLogs', ids[at]?.logs),
        await ask('eth_getFilterChanges', ids[at]?.logs),
        await ask('eth_getFilterChanges', ids[at]?.blocks),
        await ask('eth_getFilterChanges', ids[at]?.blocks),
        await ask('eth_uninstallFilter', ids[at]?.logs),
        await ask('eth_uninstallFilter', ids[at]?.logs),
      ]),
    )
    expect(direct).toMatchObject([[{}], [{}], [expect.any(String)], [], true, false])
    expect(through).toEqual(direct)
  })

  it('in methods that it composes', async () => {
    const ask = resultsOf(overHttp(`${gateway.url}/${gateway.token}`))
    const { blockHash, blockNumber, transactionHash } = sample
    const receipts = await ask('eth_getBlockReceipts', blockNumber)
    expect(await ask('debug_getRawTransactions', blockNumber)).toEqual([
      await ask('debug_getRawTransaction', transactionHash),
    ])
    expect(await ask('erigon_blockNumber')).toBe(await ask('eth_blockNumber'))
    expect(await ask('erigon_getBlockReceiptsByBlockHash', blockHash)).toEqual(receipts)
    expect(await ask('eth_getBlockReceiptsWithSystemTx', blockNumber)).toMatchObject({ receipts })
    const logs = await ask<unknown[][]>('erigon_getLogsByHash', blockHash)
    expect(logs.flat()).toEqual(await ask('eth_getLogs', { blockHash }))
    const header = await ask<object>('eth_getHeaderByHash', blockHash)
    expect(await ask('erigon_getHeaderByNumber', blockNumber)).toMatchObject(header)
    const call = { from: sample.account, to: sample.contract, data: '0x', gas: '0x186a0' }
    const { structLogs } = await ask<{ structLogs: readonly object[] }>(
      'debug_traceCall',
      call,
      blockNumber,
      {},
    )
    const context = { blockNumber, transactionIndex: -1 }
    expect(structLogs).toMatchObject([{ op: 'STOP' }])
    expect(await ask('debug_traceCallMany', [{ transactions: [call] }], context, {})).toMatchObject([
      { structLogs },
    ])
  })
})

/** Creates callers of geth itself, and through the gateway. */
async function askersOf(
  transport: string,
  geth: Geth,
  { url, token }: Served,
): Promise<{ readonly direct: Ask; readonly through: Ask }> {
  if (transport === 'WebSocket') {
    const direct = await openSocket(geth.webSocketUrl)
    const through = await openSocket(`${url.replace('http', 'ws')}/ws/${token}`)
    onTestFinished(() => [direct, through].forEach((socket) => socket.close()))
    return { direct: direct.ask, through: through.ask }
  }
  const over = transport === 'HTTP' ? overHttp : inBatches
  return { direct: over(geth.httpUrl), through: over(`${url}/${token}`) }
}
