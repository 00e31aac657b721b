import { expect, it, onTestFinished, vi } from 'vitest'
import { faultyUpstream } from '../testing/faulty-upstream.ts'
import { pooledNode } from '../testing/pooled-node.ts'
import { PendingPoll } from './pending-poll.ts'

const later = { timeout: 50_000 }

/** Subscribes to the pending transactions of an upstream that counts its filters. */
async function subscribed() {
  let created = 0
  const installed = new Set<string>()
  let changes: object = { result: [] }
  const upstream = await faultyUpstream('node', {
    responses: {
      eth_newPendingTransactionFilter: () => {
        const id = `0x${(created += 1)}`
        installed.add(id)
        return { result: id }
      },
      eth_uninstallFilter: ([id]) => ({ result: installed.delete(String(id)) }),
      eth_getFilterChanges: () => changes as { result: unknown },
    },
  })
  const node = pooledNode(upstream.url)
  const delivered: unknown[] = []
  const pool = node.upstreams.of(node.grant, 'evm')
  const options = { upstream: pool, pollMs: 10, timeoutMs: 1_000 }
  const poll = new PendingPoll(options, [], (result) => delivered.push(result))
  onTestFinished(() => poll.stop())
  await poll.started
  const polls = () => upstream.received.filter((method) => method === 'eth_getFilterChanges').length
  const setChanges = (given: object) => (changes = given)
  return { upstream, installed, delivered, polls, setChanges, created: () => created }
}

it('retains a filter while its node is unreachable', async () => {
  const { upstream, installed, delivered, polls, setChanges, created } = await subscribed()
  upstream.fault = 500
  const before = polls()
  await vi.waitFor(() => expect(polls()).toBeGreaterThan(before + 3), later)
  setChanges({ result: ['0xab'] })
  upstream.fault = 'none'
  await vi.waitFor(() => expect(delivered).toContain('0xab'), later)
  expect([created(), installed.size]).toEqual([1, 1])
})

it('uninstalls a rejected filter before it creates another one', async () => {
  const { installed, setChanges, created } = await subscribed()
  setChanges({ error: { code: -32000, message: 'internal error' } })
  await vi.waitFor(() => expect(created()).toBeGreaterThan(3), later)
  setChanges({ result: [] })
  await vi.waitFor(() => expect(installed.size).toBe(1), later)
})
