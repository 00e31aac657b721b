import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { type FaultyRelay, startRelay } from './faulty-relay.ts'
import { figure } from './figure.ts'
import { type LoadReport, type MixedLoad, mixedLoad } from './mixed-load.ts'
import { type Served, serve } from '@fairlead/e2e-tests/served'
import { evmOnly, type DevelopmentGateway, startGateway, temporaryFolder } from '@fairlead/e2e-tests/gateway'

const patience = { timeout: 60_000, interval: 20 }
const headPollMs = 100

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let chain: DevelopmentGateway
let engineUrl: string
let first: FaultyRelay
let second: FaultyRelay
let gateway: Served
let load: MixedLoad
const stopping = new AbortController()
let miner: Promise<void>

beforeAll(async () => {
  folder = await temporaryFolder(inject('database'))
  chain = await startGateway(folder.path, evmOnly)
  engineUrl = `http://127.0.0.1:${readFileSync(join(folder.path, '.fairlead/evm/port'), 'utf8').trim()}`
  await engine('anvil_mine', '0x64')
  first = await startRelay(engineUrl)
  second = await startRelay(engineUrl)
  gateway = await serve({
    FAIRLEAD_EVM_UPSTREAM: `${first.url} ${second.url}`,
    FAIRLEAD_UPSTREAM_TIMEOUT_MS: '5000',
    FAIRLEAD_HEAD_POLL_MS: String(headPollMs),
  })
  miner = mineBlocks()
  load = await mixedLoad(gateway)
  await expectSuccess(100)
})
afterAll(async () => {
  await load.end()
  stopping.abort()
  await miner
  await gateway.remove()
  await Promise.all([first.kill(), second.kill()])
  await chain.end('SIGTERM')
  await folder.remove()
})

async function engine<result>(method: string, ...params: unknown[]): Promise<result> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(engineUrl, { method: 'POST', headers, body })
  return ((await response.json()) as { result: result }).result
}

/** The chain grows continuously. */
async function mineBlocks(): Promise<void> {
  while (!stopping.signal.aborted) {
    await engine('anvil_mine', '0x1')
    await pause(150)
  }
}

/** Returns the report at the time when the given numbers of good messages, and of calls at a relay, are reached. */
async function expectSuccess(messages: number, relay = first, calls = 0): Promise<LoadReport> {
  let sum = load.takeReport()
  await vi.waitFor(() => {
    sum = merged(sum, load.takeReport())
    expect(sum.responses).toBeGreaterThan(messages)
    expect(relay.calls).toBeGreaterThanOrEqual(calls)
  }, patience)
  return sum
}

/** Waits until a relay receives client calls. */
async function inUse(relay: FaultyRelay): Promise<void> {
  const { calls } = relay
  await vi.waitFor(() => expect(relay.calls).toBeGreaterThan(calls + 5), patience)
}

function merged(left: LoadReport, right: LoadReport): LoadReport {
  const failures = { ...left.failures }
  for (const [name, count] of Object.entries(right.failures)) failures[name] = (failures[name] ?? 0) + count
  return {
    responses: left.responses + right.responses,
    failures,
    regressions: left.regressions + right.regressions,
    inconsistentBatches: left.inconsistentBatches + right.inconsistentBatches,
    stale: left.stale + right.stale,
    maxMs: Math.max(left.maxMs, right.maxMs),
  }
}

const any = expect.any(Number) as number
const noErrors = {
  responses: any,
  failures: {},
  regressions: 0,
  inconsistentBatches: 0,
  stale: 0,
  maxMs: any,
}

describe('under load, with another healthy upstream', () => {
  it('no client gets an error when one is killed', async () => {
    await inUse(first)
    await first.kill()
    const report = await expectSuccess(150)
    await first.revive()
    figure('killed', report)
    expect(report).toEqual(noErrors)
  })

  // Relays take turns, because the gateway avoids a failed upstream for a while, and longer each time.
  const faults = ['slow', 'hung', 'garbage', '500', '429', 'truncated', 'lagging'] as const
  it.each(faults)('no client gets an error when one is faulty: %s', async (fault) => {
    const relay = faults.indexOf(fault) % 2 === 0 ? second : first
    // The other relay has to be healthy.
    await Promise.all([inUse(first), inUse(second)])
    load.takeReport()
    const { calls } = relay
    relay.fault = fault
    // The other relay may be the faster one for a while. The gateway may detect a lagging one before it routes a call
    // to it.
    const report = await expectSuccess(120, relay, fault === 'lagging' ? 0 : calls + 1)
    relay.fault = 'none'
    figure(`${fault}, met by ${relay.calls - calls} calls`, report)
    expect(report).toEqual(noErrors)
  })

  it('no client gets a block that was reorganized out, after the new ones are known', async () => {
    const head = Number(await engine('eth_blockNumber'))
    const hashes = await Promise.all(
      [0, 1, 2].map(async (down) => {
        const block = await engine<{ hash: string }>(
          'eth_getBlockByNumber',
          `0x${(head - down).toString(16)}`,
          false,
        )
        return block.hash
      }),
    )
    // Otherwise, empty blocks of the same second would be identical.
    await engine('anvil_setCoinbase', '0x00000000000000000000000000000000000000f1')
    await engine('anvil_reorg', 6, [])
    // A block that was mined meanwhile may be lost. The chain may then be slightly shorter until the next blocks.
    await vi.waitFor(async () => {
      const block = await engine<{ hash: string } | null>(
        'eth_getBlockByNumber',
        `0x${head.toString(16)}`,
        false,
      )
      expect(block).not.toBeNull()
      expect(hashes).not.toContain(block?.hash)
    }, patience)
    load.replaced(hashes)
    const report = await expectSuccess(150)
    figure('reorganized', report)
    expect(report).toEqual(noErrors)
  })
})

it('clients get errors while all upstreams are down, and responses as soon as one is back', async () => {
  load.takeReport()
  await Promise.all([first.kill(), second.kill()])
  let down = load.takeReport()
  await vi.waitFor(() => {
    down = merged(down, load.takeReport())
    const failed = Object.values(down.failures).reduce((sum, count) => sum + count, 0)
    expect(failed).toBeGreaterThan(100)
  }, patience)
  figure('all down', down)
  const kinds = Object.keys(down.failures)
  expect(kinds).not.toEqual([])
  expect(kinds.filter((kind) => !/^(?:50[234]|error) -32603$/.test(kind))).toEqual([])
  await Promise.all([first.revive(), second.revive()])
  const started = performance.now()
  await vi.waitFor(async () => {
    load.takeReport()
    expect(await expectSuccess(100)).toEqual(noErrors)
  }, patience)
  figure('all back: ms until nothing failed', Math.round(performance.now() - started))
  expect(await expectSuccess(150)).toEqual(noErrors)
  expect(gateway.output()).not.toContain(first.url)
})
