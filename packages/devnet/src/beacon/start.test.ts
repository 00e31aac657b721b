import { expect, onTestFinished, test, vi } from 'vitest'
import { sendRequest } from '../../test/beacon.ts'
import { scratchDirectory } from '../../test/scratch.ts'
import type { DevnetEvent } from '../runtime/devnet-event.ts'
import { startBeaconNode, type BeaconNode, type BeaconNodeOptions } from './start.ts'

// A start takes seconds, and much longer on a busy machine.
vi.setConfig({ testTimeout: 90_000 })
const timeLimit = { timeout: 60_000 }

async function start(
  options: Partial<BeaconNodeOptions>,
): Promise<{ node: BeaconNode; events: DevnetEvent[] }> {
  const events: DevnetEvent[] = []
  const onEvent = (event: DevnetEvent) => events.push(event)
  const node = await startBeaconNode({ directory: await scratchDirectory(), onEvent, ...options })
  onTestFinished(() => node.stop())
  return { node, events }
}

const kinds = (events: readonly DevnetEvent[]) => events.map((event) => event.kind)
const finalizedEpoch = async (node: BeaconNode) => {
  const { body } = await sendRequest(node.url, '/eth/v1/beacon/states/head/finality_checkpoints')
  return Number(body.data.finalized.epoch)
}

test('a node starts with a finalized chain, produces slots by the clock, and closes its streams on stop', async () => {
  const { node, events } = await start({ secondsPerSlot: 1 })
  expect(node).toMatchObject({ chain: 'beacon', network: 'devnet', protocols: ['beacon'] })
  expect(kinds(events)).toEqual(['starting', 'ready'])
  expect(events[1]?.message).toMatch(/begins a new chain/)
  expect(await finalizedEpoch(node)).toBeGreaterThan(0)

  const headSlot = async () =>
    Number((await sendRequest(node.url, '/eth/v1/node/syncing')).body.data.head_slot)
  const before = await headSlot()
  await vi.waitUntil(async () => (await headSlot()) >= before + 2, timeLimit)

  const stream = await fetch(`${node.url}/eth/v1/events?topics=head`)
  const received = stream.text()
  await node.stop()
  // The stream ends normally and is not aborted.
  await received
  await expect(fetch(node.url)).rejects.toThrow()
  expect(kinds(events).slice(-2)).toEqual(['stopping', 'stopped'])
})

test('starts a new chain when the clock differs too much from the chain, without a failure', async () => {
  // With slots this long, the next third of a slot is more than an hour away immediately.
  const { node, events } = await start({ secondsPerSlot: 11_000 })
  await vi.waitUntil(() => kinds(events).filter((kind) => kind === 'ready').length >= 2, timeLimit)
  await node.stop()
  expect(kinds(events).slice(0, 4)).toEqual(['starting', 'ready', 'starting', 'ready'])
  expect(events[2]?.message).toMatch(/clock differs from the beacon chain by more than an hour/)
})
