import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEvmClient, getAllLogs, http } from '@fairlead/sdk/evm'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { evmOnly, type DevelopmentGateway, startGateway, temporaryFolder } from './gateway.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let gateway: DevelopmentGateway
let engineUrl: string
beforeAll(async () => {
  folder = await temporaryFolder(inject('database'))
  gateway = await startGateway(folder.path, { ...evmOnly, FAIRLEAD_MAX_LOG_RANGE: '7' })
  engineUrl = `http://127.0.0.1:${readFileSync(join(folder.path, '.fairlead/evm/port'), 'utf8').trim()}`
})
afterAll(async () => {
  await gateway.end('SIGTERM')
  await folder.remove()
})

/** Calls the engine behind the gateway, which has no limit. */
async function engine(method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const { result } = (await (await fetch(engineUrl, { method: 'POST', headers, body })).json()) as {
    result: unknown
  }
  return result
}

it('the client gets the same logs from a gateway with a limited range', async () => {
  const { account, contract, recipient } = JSON.parse(
    readFileSync(join(folder.path, '.fairlead/evm/seed.json'), 'utf8'),
  ) as Record<string, string>
  const data = `0xa9059cbb${String(recipient).slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
  for (let transfer = 0; transfer < 10; transfer += 1) {
    await engine('eth_sendTransactionSync', { from: account, to: contract, data, gas: '0x30d40' })
    await engine('anvil_mine', '0x4')
  }
  const { node_url: nodeUrl, token } = gateway.file.nodes[0]
  const filter = { fromBlock: '0x0', toBlock: 'latest' } as const
  const evm = createEvmClient({ transport: http({ url: nodeUrl, auth: { kind: 'token', token } }) })
  const logs = await getAllLogs(evm, filter)
  expect(logs.length).toBeGreaterThanOrEqual(10)
  expect(logs).toEqual(await engine('eth_getLogs', filter))
  await expect(evm.request({ method: 'eth_getLogs', params: [filter] })).rejects.toMatchObject({
    code: 'RPC_ERROR',
    details: { rpcCode: -32602, data: { max_range: 7, from: '0x0', to: '0x6' } },
  })
})
