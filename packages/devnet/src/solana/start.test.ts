import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import { scratchDirectory } from '../../test/scratch.ts'
import type { DevnetEvent } from '../runtime/devnet-event.ts'
import { callEngine } from '../evm/json-rpc.ts'
import { startSolanaNode, type SolanaNode } from './start.ts'

// A start takes a second, and much longer on a busy machine.
vi.setConfig({ testTimeout: 90_000 })
const timeLimit = { timeout: 60_000 }
const shortTimings = { initialPauseMs: 50, maxPauseMs: 100, maxFailures: 2 }

async function start(
  directory: string,
): Promise<{ node: SolanaNode; events: DevnetEvent[]; workers: Worker[] }> {
  const events: DevnetEvent[] = []
  const workers: Worker[] = []
  const onWorker = (worker: Worker) => workers.push(worker)
  process.on('worker', onWorker)
  onTestFinished(() => void process.off('worker', onWorker))
  const onEvent = (event: DevnetEvent) => events.push(event)
  const node = await startSolanaNode({ directory, secondsPerSlot: 0.1, timings: shortTimings, onEvent })
  onTestFinished(() => node.stop())
  return { node, events, workers }
}

const kinds = (events: readonly DevnetEvent[]) => events.map((event) => event.kind)
const processed = { commitment: 'processed' }
const slotOf = (node: SolanaNode) => callEngine<number>(node.rpcUrl, 'getSlot', [processed])
const balanceOf = async (node: SolanaNode, address: string) =>
  (await callEngine<{ value: number }>(node.rpcUrl, 'getBalance', [address, processed])).value

test('a node produces slots, and resumes from its last slot', async () => {
  const directory = await scratchDirectory()
  const { node, events, workers } = await start(directory)
  expect(node).toMatchObject({ chain: 'solana', network: 'devnet', protocols: ['grpc'], rpcUrl: node.url })
  expect(kinds(events)).toEqual(['starting', 'seeded', 'ready'])
  const head = await slotOf(node)
  await vi.waitUntil(async () => (await slotOf(node)) > head + 2, timeLimit)

  const wallet = 'E88zcd4cymN5pohWF1VS3SZm2Jkpdq3wg7ahL3RqVjWE'
  await callEngine(node.rpcUrl, 'requestAirdrop', [wallet, 7_000_000_000])
  expect(await balanceOf(node, wallet)).toBe(7_000_000_000)
  const before = await slotOf(node)
  await workers[0]?.terminate()
  await vi.waitUntil(() => kinds(events).filter((kind) => kind === 'ready').length === 2, timeLimit)
  // The chain is new only at the first start.
  expect(kinds(events).slice(3)).toEqual(['exited', 'restarting', 'starting', 'ready'])
  expect(await balanceOf(node, wallet)).toBe(7_000_000_000)
  expect(await slotOf(node)).toBeGreaterThanOrEqual(before)

  await node.stop()
  await expect(fetch(node.url)).rejects.toThrow()
  expect(readdirSync(directory).toSorted()).toEqual(['chain.journal', 'lock', 'port'])
})

test('an unreadable state fails the start immediately', async () => {
  const directory = await scratchDirectory()
  const file = join(directory, 'chain.journal')
  writeFileSync(file, 'this is no journal, and long enough to show it')
  const events: DevnetEvent[] = []
  const starting = startSolanaNode({
    directory,
    timings: shortTimings,
    onEvent: (event) => events.push(event),
  })
  await expect(starting).rejects.toMatchObject({
    code: 'DEVNET_STATE_UNREADABLE',
    message: expect.stringContaining(file),
  })
  expect(kinds(events)).toEqual(['starting', 'exited', 'failed', 'stopping', 'stopped'])
})
