import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { receiptOf, runningEngine, scratchDirectory, transact } from '../../test/scratch.ts'
import type { DevnetEvent } from '../runtime/devnet-event.ts'
import { startEvmChain, type EvmChain, type EvmChainOptions } from './evm-chain.ts'
import { callEngine } from './json-rpc.ts'

const shortTimings = { initialPauseMs: 100, maxPauseMs: 400, maxFailures: 3 }

async function start(
  directory: string,
  options?: Partial<EvmChainOptions>,
): Promise<{ chain: EvmChain; events: DevnetEvent[] }> {
  const events: DevnetEvent[] = []
  const onEvent = (event: DevnetEvent) => events.push(event)
  const chain = await startEvmChain({
    directory: `${directory}/evm`,
    timings: shortTimings,
    onEvent,
    ...options,
  })
  onTestFinished(() => chain.stop())
  return { chain, events }
}

function kinds(events: DevnetEvent[]): string[] {
  return events.map((event) => event.kind).filter((kind) => kind !== 'output')
}

test('a killed engine restarts at the same URL with the sample data', async () => {
  const directory = await scratchDirectory()
  const { chain, events } = await start(directory)
  const { url } = chain
  const hash = await transact(chain)
  const readState = () => readFileSync(`${directory}/evm/state.json`, 'utf8')
  await vi.waitUntil(() => readState().includes(hash), { timeout: 20_000 })
  const before = runningEngine(directory).engine
  process.kill(before, 'SIGKILL')
  await vi.waitUntil(() => kinds(events).filter((kind) => kind === 'ready').length === 2, { timeout: 20_000 })
  expect(kinds(events)).toEqual(['starting', 'seeded', 'ready', 'exited', 'restarting', 'starting', 'ready'])
  expect(events.find((event) => event.kind === 'exited')).toMatchObject({ signal: 'SIGKILL' })
  expect(runningEngine(directory).engine).not.toBe(before)
  expect(chain.url).toBe(url)
  expect(await callEngine(url, 'eth_getCode', [chain.example.contract, 'latest'])).toMatch(/^0x60/)
  expect(await receiptOf(chain, hash)).toMatchObject({ status: '0x1' })
})

test('an engine killed right after its start has the sample data already', async () => {
  const directory = await scratchDirectory()
  const { chain, events } = await start(directory)
  const { example } = chain
  process.kill(runningEngine(directory).engine, 'SIGKILL')
  await vi.waitUntil(() => kinds(events).filter((kind) => kind === 'ready').length === 2, { timeout: 20_000 })
  expect(kinds(events).filter((kind) => kind === 'seeded')).toHaveLength(1)
  expect(chain.example).toEqual(example)
  expect(await receiptOf(chain, example.transfer_hash)).toMatchObject({ status: '0x1' })
})

test('an engine that hangs is killed and restarts at the same URL', async () => {
  const directory = await scratchDirectory()
  const { chain, events } = await start(directory, { responseDeadlineMs: 500 })
  const { url } = chain
  const before = runningEngine(directory).engine
  process.kill(before, 'SIGSTOP')
  await vi.waitUntil(() => kinds(events).filter((kind) => kind === 'ready').length === 2, { timeout: 20_000 })
  expect(kinds(events).slice(2)).toEqual([
    'ready',
    'unresponsive',
    'exited',
    'restarting',
    'starting',
    'ready',
  ])
  expect(events.find((event) => event.kind === 'exited')).toMatchObject({ signal: 'SIGKILL' })
  expect(chain.url).toBe(url)
  expect(await receiptOf(chain, chain.example.transfer_hash)).toMatchObject({ status: '0x1' })
})

test('an engine that another process stops saves its state', async () => {
  const directory = await scratchDirectory()
  const { chain, events } = await start(directory)
  const hash = await transact(chain)
  process.kill(runningEngine(directory).engine, 'SIGTERM')
  await vi.waitUntil(() => kinds(events).filter((kind) => kind === 'ready').length === 2, { timeout: 20_000 })
  expect(events.find((event) => event.kind === 'exited')).toMatchObject({ exitCode: 0 })
  expect(await receiptOf(chain, hash)).toMatchObject({ status: '0x1' })
})

test('a killed watchdog is replaced, and its engine leaves no process or file', async () => {
  const directory = await scratchDirectory()
  const { chain, events } = await start(directory)
  const { watchdog, ended } = runningEngine(directory)
  const hash = await transact(chain)
  process.kill(watchdog, 'SIGKILL')
  await ended()
  await vi.waitUntil(() => kinds(events).filter((kind) => kind === 'ready').length === 2, { timeout: 20_000 })
  expect(await receiptOf(chain, hash)).toMatchObject({ status: '0x1' })
})

test('reports the output of an engine that fails repeatedly, and stops', async () => {
  const directory = await scratchDirectory()
  const events: DevnetEvent[] = []
  // Node.js is a real executable that rejects the options of the engine.
  const starting = start(directory, { anvilPath: process.execPath, onEvent: (event) => events.push(event) })
  await expect(starting).rejects.toThrow(/ended 3 times in a row.*exit code 9.*\n.*bad option: --host/)
  expect(kinds(events).filter((kind) => kind === 'restarting')).toHaveLength(2)
  expect(kinds(events).slice(-3)).toEqual(['failed', 'stopping', 'stopped'])
})

test('an engine that exits after it was ready is restarted every time', async () => {
  const directory = await scratchDirectory()
  const { chain, events } = await start(directory)
  const readyCount = () => kinds(events).filter((kind) => kind === 'ready').length
  for (let exits = 1; exits <= shortTimings.maxFailures + 1; exits++) {
    process.kill(runningEngine(directory).engine, 'SIGKILL')
    await vi.waitUntil(() => readyCount() === exits + 1, { timeout: 20_000 })
  }
  expect(await callEngine(chain.url, 'eth_chainId')).toBe('0x7a69')
})

test('a program that does not exist is an error that names it', async () => {
  const starting = start(await scratchDirectory(), { anvilPath: '/nowhere/anvil' })
  await expect(starting).rejects.toThrow(/\/nowhere\/anvil/)
})

test('a stop ends the pause before a restart', async () => {
  const directory = await scratchDirectory()
  const { chain, events } = await start(directory, {
    timings: { initialPauseMs: 60_000, maxPauseMs: 60_000 },
  })
  process.kill(runningEngine(directory).engine, 'SIGKILL')
  await vi.waitUntil(() => kinds(events).includes('restarting'), { timeout: 20_000 })
  await chain.stop()
  expect(kinds(events).slice(-2)).toEqual(['stopping', 'stopped'])
})
