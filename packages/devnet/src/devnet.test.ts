import { readdirSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { receiptOf, runningEngine, scratchDirectory, transact } from '../test/scratch.ts'
import { startDevnet, type Devnet, type DevnetEvent, type EvmDevnetChain } from './index.ts'
import { callEngine } from './evm/json-rpc.ts'

interface Transaction {
  from: string
  type: string
  gasPrice: string
}

async function start(
  dataDirectory: string,
): Promise<{ devnet: Devnet<['evm']>; chain: EvmDevnetChain; events: DevnetEvent[] }> {
  const events: DevnetEvent[] = []
  const devnet = await startDevnet({
    dataDirectory,
    chains: ['evm'],
    onEvent: (event) => events.push(event),
  })
  onTestFinished(() => devnet.stop())
  const [chain] = devnet.chains
  return { devnet, chain, events }
}

test('a fresh chain has its sample data and mines every transaction immediately', async () => {
  const { chain, events } = await start(await scratchDirectory())
  const { example, url } = chain
  expect(chain).toMatchObject({ chain: 'evm', network: 'devnet', protocols: ['evm'] })
  expect(events.map((event) => event.kind)).toEqual(['starting', 'seeded', 'ready'])

  expect(await callEngine(url, 'eth_chainId')).toBe('0x7a69')
  expect(await callEngine(url, 'eth_getCode', [example.contract, 'latest'])).toMatch(/^0x60/)
  expect(await receiptOf(chain, example.failed_hash)).toMatchObject({ status: '0x0', logs: [] })
  expect(await receiptOf(chain, example.transfer_hash)).toMatchObject({
    status: '0x1',
    logs: [{ address: example.contract }],
  })
  const trace = await callEngine<{ structLogs: unknown[] }>(url, 'debug_traceTransaction', [
    example.transfer_hash,
  ])
  expect(trace.structLogs.length).toBeGreaterThan(50)

  const filter = { fromBlock: 'earliest', address: example.contract }
  const logs = await callEngine<{ blockNumber: string }[]>(url, 'eth_getLogs', [filter])
  expect(new Set(logs.map((log) => log.blockNumber)).size).toBeGreaterThan(5)

  expect(await receiptOf(chain, await transact(chain))).toMatchObject({ status: '0x1' })
})

test('system transactions are first in their block, and only they pay no gas', async () => {
  const { chain } = await start(await scratchDirectory())
  const { example, url } = chain
  const call = <result>(method: string, ...params: unknown[]) => callEngine<result>(url, method, params)

  const block = await call<{ transactions: Transaction[]; baseFeePerGas: string }>(
    'eth_getBlockByHash',
    example.system_block_hash,
    true,
  )
  expect(block.baseFeePerGas).toBe('0x0')
  expect(block.transactions).toHaveLength(4)
  expect(block.transactions.slice(0, 2)).toMatchObject([
    { from: '0x2222222222222222222222222222222222222222', type: '0x0', gasPrice: '0x0' },
    { from: '0x2000000000000000000000000000000000000001', type: '0x0', gasPrice: '0x0' },
  ])
  expect(block.transactions.slice(2).every((transaction) => Number(transaction.gasPrice) > 0)).toBe(true)

  await transact(chain)
  const latest = await call<{ baseFeePerGas: string }>('eth_getBlockByNumber', 'latest', false)
  expect(Number(latest.baseFeePerGas)).toBeGreaterThan(0)
  const from = '0x2222222222222222222222222222222222222222'
  await expect(call('eth_sendTransaction', { from, to: example.account })).rejects.toThrow(/signer/i)
})

test('a restarted chain has the same URL and the same state', async () => {
  const directory = await scratchDirectory()
  const first = await start(directory)
  const { example } = first.chain
  const hash = await transact(first.chain)
  const balanceAt = (chain: EvmDevnetChain) =>
    callEngine(chain.url, 'eth_getBalance', [example.recipient, example.system_block_number])
  const before = await balanceAt(first.chain)
  const { ended } = runningEngine(directory)
  await Promise.all([first.devnet.stop(), first.devnet.stop()])
  await ended()
  expect(first.events.map((event) => event.kind).slice(-2)).toEqual(['stopping', 'stopped'])
  expect(readdirSync(join(directory, 'evm')).toSorted()).toEqual(['lock', 'port', 'seed.json', 'state.json'])

  const second = await start(directory)
  expect(second.events.map((event) => event.kind)).toEqual(['starting', 'ready'])
  expect(second.chain.url).toBe(first.chain.url)
  expect(second.chain.example).toEqual(example)
  expect(await receiptOf(second.chain, hash)).toMatchObject({ status: '0x1' })
  expect(await balanceAt(second.chain)).toBe(before)
  const trace = await callEngine<{ structLogs: unknown[] }>(second.chain.url, 'debug_traceTransaction', [
    example.transfer_hash,
  ])
  expect(trace.structLogs.length).toBeGreaterThan(50)
})

test('the chain accepts only local connections and allows no cross-origin reads', async () => {
  const { chain } = await start(await scratchDirectory())
  const address = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .find((entry) => entry.family === 'IPv4' && !entry.internal)?.address
  if (address !== undefined) {
    await expect(callEngine(chain.url.replace('127.0.0.1', address), 'eth_chainId')).rejects.toThrow()
  }
  const response = await fetch(chain.url, { method: 'OPTIONS', headers: { origin: 'https://example.com' } })
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
})

test('an abort cancels the start, or stops a running chain', async () => {
  const directory = await scratchDirectory()
  const early = new AbortController()
  const starting = startDevnet({
    dataDirectory: directory,
    chains: ['evm'],
    signal: early.signal,
    onEvent: ({ kind }) => {
      if (kind !== 'starting') return
      const files = () => readdirSync(join(directory, 'evm'))
      void vi
        .waitFor(() => expect(files().some((name) => /engine/.test(name))).toBe(true), {
          timeout: 50_000,
          interval: 5,
        })
        .finally(() => early.abort(new Error('changed my mind')))
    },
  })
  await expect(starting).rejects.toThrow('changed my mind')
  expect(readdirSync(join(directory, 'evm')).filter((name) => /engine/.test(name))).toEqual([])

  const lateAbort = new AbortController()
  const devnet = await startDevnet({ dataDirectory: directory, chains: ['evm'], signal: lateAbort.signal })
  const { ended } = runningEngine(directory)
  lateAbort.abort()
  await devnet.stop()
  await ended()
})

test('all chains start and stop together', { timeout: 90_000 }, async () => {
  const dataDirectory = await scratchDirectory()
  const events: DevnetEvent[] = []
  const devnet = await startDevnet({ dataDirectory, onEvent: (event) => events.push(event) })
  onTestFinished(() => devnet.stop())
  const [evm, beacon, jetton, solana] = devnet.chains
  expect(devnet.chains.map(({ chain }) => chain)).toEqual(['evm', 'beacon', 'jetton', 'solana'])
  // The chains start in parallel.
  expect(
    events
      .slice(0, 4)
      .map(({ chain, kind }) => `${chain} ${kind}`)
      .toSorted(),
  ).toEqual(['beacon starting', 'evm starting', 'jetton starting', 'solana starting'])
  expect(await callEngine(evm.url, 'eth_chainId')).toBe('0x7a69')
  const head = await fetch(`${beacon.url}/eth/v1/beacon/headers/head`)
  expect(head.status).toBe(200)
  const health = await fetch(`${jetton.url}/health`)
  expect(health.status).toBe(200)
  expect(await callEngine(solana.rpcUrl, 'getHealth')).toBe('ok')

  await devnet.stop()
  await expect(callEngine(evm.url, 'eth_chainId')).rejects.toThrow()
  await expect(fetch(beacon.url)).rejects.toThrow()
  await expect(fetch(jetton.url)).rejects.toThrow()
  await expect(fetch(solana.rpcUrl)).rejects.toThrow()
})

test(
  'when one chain fails to start, the others are stopped and the error is returned',
  { timeout: 90_000 },
  async () => {
    const events: DevnetEvent[] = []
    const starting = startDevnet({
      dataDirectory: await scratchDirectory(),
      anvilPath: '/nowhere/anvil',
      onEvent: (event) => events.push(event),
    })
    await expect(starting).rejects.toMatchObject({ code: 'DEVNET_ENGINE_FAILED' })
    for (const name of ['beacon', 'jetton', 'solana']) {
      const kinds = events.filter(({ chain }) => chain === name).map(({ kind }) => kind)
      expect(kinds.at(-1), name).toBe('stopped')
    }
  },
)
