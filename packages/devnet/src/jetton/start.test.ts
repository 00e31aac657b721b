import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { Address } from '@ton/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { scratchDirectory } from '../../test/scratch.ts'
import type { DevnetEvent } from '../runtime/devnet-event.ts'
import { startJettonNode, type JettonNode } from './start.ts'

// A start takes a second, and much longer on a busy machine.
vi.setConfig({ testTimeout: 90_000 })
const timeLimit = { timeout: 60_000 }
const shortTimings = { initialPauseMs: 50, maxPauseMs: 100, maxFailures: 2 }

async function start(
  directory: string,
): Promise<{ node: JettonNode; events: DevnetEvent[]; workers: Worker[] }> {
  const events: DevnetEvent[] = []
  const workers: Worker[] = []
  const onWorker = (worker: Worker) => workers.push(worker)
  process.on('worker', onWorker)
  onTestFinished(() => void process.off('worker', onWorker))
  const onEvent = (event: DevnetEvent) => events.push(event)
  const node = await startJettonNode({ directory, secondsPerBlock: 0, timings: shortTimings, onEvent })
  onTestFinished(() => node.stop())
  return { node, events, workers }
}

const kinds = (events: readonly DevnetEvent[]) => events.map((event) => event.kind)
const headOf = async (node: JettonNode) => {
  const response = await fetch(`${node.url}/health`)
  const { result } = (await response.json()) as { result: { masterchain_seqno: number } }
  return result.masterchain_seqno
}
const requestFaucet = (node: JettonNode, body: unknown) =>
  fetch(node.faucetUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

test('a node serves both APIs, and resumes from its last block', async () => {
  const directory = await scratchDirectory()
  const { node, events, workers } = await start(directory)
  expect(node).toMatchObject({ chain: 'jetton', network: 'devnet', protocols: ['jetton'] })
  expect(kinds(events)).toEqual(['starting', 'seeded', 'ready'])
  const address = encodeURIComponent(node.example.wallet)
  for (const path of [`/api/v2/getAddressBalance?address=${address}`, '/api/v3/masterchainInfo']) {
    expect((await fetch(`${node.url}${path}`)).status, path).toBe(200)
  }
  expect((await fetch(`${node.url}/api/v9/anything`)).status).toBe(404)

  const head = await headOf(node)
  expect((await requestFaucet(node, { address: node.example.jetton_wallet })).status).toBe(200)
  await workers[0]?.terminate()
  await vi.waitUntil(() => kinds(events).filter((kind) => kind === 'ready').length === 2, timeLimit)
  // The chain is new only at the first start.
  expect(kinds(events).slice(3)).toEqual(['exited', 'restarting', 'starting', 'ready'])
  expect(await headOf(node)).toBe(head + 1)

  await node.stop()
  await expect(fetch(node.url)).rejects.toThrow()
  expect(readdirSync(directory).toSorted()).toEqual(['chain.journal', 'lock', 'port'])
})

test('the faucet sends the requested amount, within limits', async () => {
  const { node } = await start(await scratchDirectory())
  const address = new Address(0, Buffer.alloc(32, 0x61)).toString()
  const grant = await requestFaucet(node, { address, amount: '2500000000' })
  expect(await grant.json()).toEqual({
    ok: true,
    result: { address, amount: '2500000000', trace_id: expect.stringMatching(/^.{43}=$/) },
  })
  const balance = await fetch(`${node.url}/api/v2/getAddressBalance?address=${encodeURIComponent(address)}`)
  expect(await balance.json()).toMatchObject({ result: '2500000000' })
  const usual = await requestFaucet(node, { address })
  expect(await usual.json()).toMatchObject({ ok: true, result: { amount: '10000000000' } })

  const head = await headOf(node)
  for (const body of [
    {},
    [],
    { address: 'invalid' },
    { address: 5 },
    ...['0', '-1', '1.5', '', '1000000000000001', 7, null].map((amount) => ({ address, amount })),
  ]) {
    const refused = await requestFaucet(node, body)
    expect(refused.status, JSON.stringify(body)).toBe(422)
    expect(await refused.json()).toMatchObject({
      ok: false,
      code: 422,
      error: expect.stringMatching(/must be/),
    })
  }
  const malformed = await fetch(node.faucetUrl, {
    method: 'POST',
    body: '{',
    headers: { 'content-type': 'application/json' },
  })
  expect(malformed.status).toBe(422)
  expect(await headOf(node)).toBe(head)
})

test('an unreadable state fails the start immediately', async () => {
  const directory = await scratchDirectory()
  const file = join(directory, 'chain.journal')
  writeFileSync(file, 'this is no journal, and long enough to show it')
  const events: DevnetEvent[] = []
  const starting = startJettonNode({
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
