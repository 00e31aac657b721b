import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../test/scratch.ts'
import type { DevnetEvent } from '../runtime/devnet-event.ts'
import { startEvmChain, type EvmChain, type EvmChainOptions } from './evm-chain.ts'

async function start(directory: string, options?: Partial<EvmChainOptions>): Promise<EvmChain> {
  const chain = await startEvmChain({ directory, lockWaitMs: 300, ...options })
  onTestFinished(() => chain.stop())
  return chain
}

test('reports a damaged state without changing it, and starts a fresh chain after its removal', async () => {
  const directory = await scratchDirectory()
  const stateFile = join(directory, 'state.json')
  await (await start(directory)).stop()
  const torn = readFileSync(stateFile).subarray(0, 5_000)
  writeFileSync(stateFile, torn)

  const events: DevnetEvent[] = []
  const starting = start(directory, { onEvent: (event) => events.push(event) })
  await expect(starting).rejects.toMatchObject({ code: 'DEVNET_STATE_UNREADABLE' })
  const failure = events.find((event) => event.kind === 'failed')
  expect(failure?.message).toContain(
    `${stateFile}, cannot be read. Move the file away to start a fresh chain`,
  )
  expect(failure?.message).toContain('failed to parse json file')
  expect(events.some((event) => event.kind === 'restarting')).toBe(false)
  expect(readFileSync(stateFile)).toEqual(torn)

  renameSync(stateFile, `${stateFile}.damaged`)
  const kinds: string[] = []
  await start(directory, { onEvent: (event) => kinds.push(event.kind) })
  expect(kinds).toEqual(['starting', 'seeded', 'ready'])
})

test('a chain without the record of its sample data is not seeded over', async () => {
  const directory = await scratchDirectory()
  await (await start(directory)).stop()
  rmSync(join(directory, 'seed.json'))
  await expect(start(directory)).rejects.toMatchObject({
    code: 'DEVNET_STATE_UNREADABLE',
    message: expect.stringContaining(join(directory, 'seed.json')),
  })
})

test('a second start on the same directory waits, then reports the process that holds the lock', async () => {
  const directory = await scratchDirectory()
  await start(directory)
  const kinds: string[] = []
  await expect(start(directory, { onEvent: (event) => kinds.push(event.kind) })).rejects.toMatchObject({
    code: 'DEVNET_LOCKED',
    message: expect.stringContaining(`Process ${process.pid} already runs`),
  })
  expect(kinds).toEqual(['waiting'])
})

test('a second start succeeds when the first chain stops in time', async () => {
  const directory = await scratchDirectory()
  const first = await start(directory)
  const second = start(directory, { lockWaitMs: 10_000 })
  await first.stop()
  expect((await second).example).toEqual(first.example)
})
