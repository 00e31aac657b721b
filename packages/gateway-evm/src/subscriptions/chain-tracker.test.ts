import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, startDevnet } from '@fairlead/devnet'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { pino } from 'pino'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { createEvmUpstream } from '../upstream/evm-upstream.ts'
import type { Upstream } from '../upstream/types.ts'
import { ChainTracker, type TrackerOptions } from './chain-tracker.ts'
import { waitFor } from '@fairlead/vitest/wait-for'

let directory: string
let devnet: Devnet
let upstream: Upstream
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-follower-'))
  devnet = await startDevnet({ dataDirectory: directory, chains: ['evm'] })
  upstream = createEvmUpstream(devnet.chains[0]?.url as string, 5_000, new MemoryLedger(2 ** 29))
}, 60_000)
afterAll(async () => {
  await upstream.close()
  await devnet.stop()
  await rm(directory, { recursive: true, force: true })
})

const node = (method: string, params: unknown[] = []) =>
  upstream.call(method, params, AbortSignal.timeout(5_000))
const block = (number: number) => node('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
const latest = async () => Number(await node('eth_blockNumber'))

/** Starts a tracker that polls only on request by default, and records its events. */
async function follow(
  options: Partial<
    Pick<TrackerOptions, 'maxGap' | 'maxLagMs' | 'pollMs' | 'doubtMs' | 'hasNotifications'>
  > = {},
) {
  const numbers: number[] = []
  const lost: string[] = []
  const tracker = new ChainTracker({
    upstream,
    pollMs: 3_600_000,
    timeoutMs: 5_000,
    logAddresses: () => undefined,
    listener: {
      onBlock: ({ head }) => numbers.push(head.number),
      onDropped: () => undefined,
      onLost: (reason) => lost.push(reason),
    },
    log: pino({ level: 'silent' }),
    ...options,
  })
  await tracker.start()
  onTestFinished(() => tracker.stop())
  return { tracker, numbers, lost }
}

const after = (start: number, length: number) => Array.from({ length }, (_, index) => start + 1 + index)

it('fills a gap of several requests in order', async () => {
  const start = await latest()
  const { tracker, numbers } = await follow()
  await node('anvil_mine', ['0x7d'])
  tracker.poll()
  await waitFor(() => expect(numbers).toEqual(after(start, 125)))
})

it('accepts heads in any order, duplicates, and heads from before its start', async () => {
  await node('anvil_mine', ['0x28'])
  const start = await latest()
  const { tracker, numbers, lost } = await follow()
  await node('anvil_mine', ['0x6'])
  for (const offset of [4, 2, 4, 6, 1, 6, -40, 0]) tracker.offer(await block(start + offset))
  await waitFor(() => expect(numbers).toEqual(after(start, 6)))
  await node('anvil_mine', ['0x1'])
  tracker.offer(await block(start + 7))
  await waitFor(() => expect(numbers).toEqual(after(start, 7)))
  expect(lost).toEqual([])
})

it('ignores invalid heads', async () => {
  const start = await latest()
  const { tracker, numbers } = await follow()
  await node('anvil_mine', ['0x1'])
  for (const garbage of [
    null,
    'x',
    {},
    { number: '0x1', hash: 1 },
    { number: 'x', hash: '0x', parentHash: '0x' },
  ]) {
    tracker.offer(garbage)
  }
  tracker.offer(await block(start + 1))
  await waitFor(() => expect(numbers).toEqual(after(start, 1)))
})

it('skips a gap that is too long, and resumes after it', async () => {
  const { tracker, numbers, lost } = await follow({ maxGap: 20 })
  await node('anvil_mine', ['0x15'])
  tracker.poll()
  await waitFor(() => expect(numbers).toHaveLength(21))
  await node('anvil_mine', ['0x16'])
  tracker.poll()
  await waitFor(() => expect(lost).toEqual(['too many blocks were missed']))
  expect(numbers).toHaveLength(21)
  const start = await latest()
  await node('anvil_mine', ['0x1'])
  await waitFor(() => {
    tracker.poll()
    expect(numbers.at(-1)).toBe(start + 1)
  })
})

it('polls soon after notifications stop, and then at every interval', async () => {
  const start = await latest()
  const { tracker, numbers } = await follow({ pollMs: 20, doubtMs: 3_000, hasNotifications: () => true })
  const waits: number[] = []
  for (let count = 1; count <= 4; count++) {
    const mined = performance.now()
    await node('anvil_mine', ['0x1'])
    await waitFor(() => expect(numbers).toEqual(after(start, count)))
    waits.push(performance.now() - mined)
  }
  // A header notification shows that notifications arrive again.
  await node('anvil_mine', ['0x1'])
  tracker.offer(await block(start + 5))
  await waitFor(() => expect(numbers).toEqual(after(start, 5)))
  expect(Math.min(...waits.slice(1))).toBeLessThan(2_000)
})

it('polls a node that sends no notifications for some seconds', async () => {
  const start = await latest()
  const { numbers } = await follow({ pollMs: 20, hasNotifications: () => true })
  await node('anvil_mine', ['0x1'])
  await vi.waitFor(() => expect(numbers).toEqual(after(start, 1)), { timeout: 50_000 })
})

// Must be the last test, because the reset removes most of the chain.
it('reports a chain as lost when it stays shorter than before', async () => {
  await node('anvil_mine', ['0x200'])
  const { tracker, lost, numbers } = await follow({ pollMs: 50, maxLagMs: 200 })
  await node('anvil_reset')
  await waitFor(() => expect(lost).toEqual(['the reorganization is too deep']))
  const start = await latest()
  await node('anvil_mine', ['0x2'])
  tracker.poll()
  await waitFor(() => expect(numbers).toEqual(after(start, 2)))
})
