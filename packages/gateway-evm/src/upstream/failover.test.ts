import { describe, expect, it, vi } from 'vitest'
import { processSocketData } from '@fairlead/vitest/wait-for'
import { type Fault, faultyUpstream } from '../testing/faulty-upstream.ts'
import { pooledNode, type PooledNode } from '../testing/pooled-node.ts'

// Of two equal upstreams, the first one is chosen first.
async function two(options: Parameters<typeof pooledNode>[1] = {}) {
  const [first, second] = await Promise.all([faultyUpstream('first'), faultyUpstream('second')])
  return { first, second, node: pooledNode(`${first.url} ${second.url}`, options) }
}

function callsOf(node: PooledNode): number {
  return node.states().reduce((sum, { calls }) => sum + calls, 0)
}

const later = { timeout: 50_000 }
const faults: readonly Fault[] = ['cut', 'garbage', 'truncated', 'half body', 'busy text', 429, 500]

describe('a call with several upstreams', () => {
  it.each(faults)('fails over when the first upstream responds with: %s', async (fault) => {
    const { first, second, node } = await two()
    await node.call('eth_gasPrice')
    await node.call('eth_gasPrice')
    first.fault = fault
    const responses = await Promise.all(Array.from({ length: 40 }, () => node.call('eth_gasPrice')))
    expect(new Set(responses)).toEqual(new Set(['second']))
    expect(first.received.length).toBeGreaterThan(1)
    expect(second.received.length).toBeGreaterThan(40)
  })

  it('fails over when the first upstream hangs', async () => {
    const { first, node } = await two({ hedges: false, pollMs: 60_000, timeoutMs: 10_000 })
    await node.call('eth_gasPrice')
    await node.call('eth_gasPrice')
    first.fault = 'hang'
    const responses = await Promise.all(Array.from({ length: 4 }, () => node.call('eth_gasPrice')))
    expect(responses).toEqual(['second', 'second', 'second', 'second'])
    await vi.waitFor(() => expect(node.states()[0]?.callsInFlight).toBe(0), later)
    expect(node.states()[0]?.failures).toBeGreaterThan(0)
  })

  it.each(['killed', 'garbage', 429, 500] as const)(
    'is sent to an upstream that has recovered before it is in service again, when the other one hangs: %s',
    async (fault) => {
      const { first, second, node } = await two({ hedges: false, pollMs: 60_000, timeoutMs: 600_000 })
      for (let call = 0; call < 40; call += 1) await node.call('eth_gasPrice')
      if (fault === 'killed') await first.kill()
      else first.fault = fault
      await processSocketData()
      for (let call = 0; call < 40; call += 1) expect(await node.call('eth_gasPrice')).toBe('second')
      if (fault === 'killed') await first.revive()
      first.fault = 'none'
      second.fault = 'hang'
      const responses = await Promise.all(
        Array.from({ length: 40 }, (_, call) => node.call(call % 2 === 0 ? 'eth_gasPrice' : 'eth_call')),
      )
      expect(new Set(responses)).toEqual(new Set(['first']))
    },
  )

  it('returns to a recovered upstream when it is no longer busy', async () => {
    const { first, node } = await two()
    await node.call('eth_gasPrice')
    await first.kill()
    await vi.waitFor(() => expect(node.states()[0]?.class).toBe('failing'), later)
    first.fault = 429
    await first.revive()
    await vi.waitFor(() => expect(node.states()[0]?.breaker).toBe('closed'), later)
  })

  it('fails over when the first upstream is killed, and uses both after it recovers', async () => {
    const { first, node } = await two()
    const over = new AbortController()
    const failures: unknown[] = []
    const loads = Array.from({ length: 16 }, async () => {
      while (!over.signal.aborted)
        await node.call('eth_gasPrice').catch((error: unknown) => failures.push(error))
    })
    await vi.waitFor(() => expect(first.received.length).toBeGreaterThan(100), { timeout: 50_000 })
    await first.kill()
    await vi.waitFor(() => expect(node.states()[0]?.class).toBe('failing'), { timeout: 50_000 })
    await first.revive()
    const before = first.received.length
    await vi.waitFor(() => expect(first.received.length).toBeGreaterThan(before + 100), { timeout: 50_000 })
    over.abort()
    await Promise.all(loads)
    expect(failures).toEqual([])
  })

  it.each(['eth_sendTransaction', 'eth_newFilter', 'personal_sign', 'unknown_method'])(
    'is not retried when the first upstream may have accepted %s',
    async (method) => {
      const { first, second, node } = await two()
      first.fault = second.fault = 'cut'
      await expect(node.call(method)).rejects.toThrow('The upstream is unreachable.')
      expect(first.received.length + second.received.length).toBe(1)
    },
  )

  it('is retried when the first upstream did not receive it, even if it is not idempotent', async () => {
    const { first, node } = await two({ pollMs: 60_000 })
    await node.call('eth_gasPrice')
    await node.call('eth_gasPrice')
    await first.kill()
    // The close of a keep-alive connection is processed before the next call.
    await processSocketData()
    expect(await node.call('eth_sendTransaction')).toBe('second')
    expect(node.states()).toMatchObject([
      { class: 'failing', breaker: 'open', failuresByKind: { connect_failed: 1 }, retries: 0 },
      { failures: 0, retries: 1, hedges: 0 },
    ])
  })

  it('returns the first response when no upstream has a better one', async () => {
    const { first, second, node } = await two()
    first.responses['eth_call'] = second.responses['eth_call'] = {
      error: { code: -32601, message: 'the method eth_call does not exist/is not available' },
    }
    await expect(node.call('eth_call')).rejects.toMatchObject({ code: -32601 })
    expect([first.received, second.received]).toEqual([['eth_call'], ['eth_call']])
  })

  it('is sent to the upstream that has the method from then on', async () => {
    const { first, second, node } = await two()
    first.responses['eth_feeHistory'] = { error: { code: -32601, message: 'Method not found' } }
    for (let call = 0; call < 6; call++) expect(await node.call('eth_feeHistory')).toBe('second')
    expect(first.received.length).toBeLessThanOrEqual(1)
    expect(second.received).toHaveLength(6)
  })

  it('is retried on an upstream with a higher head when a block is missing', async () => {
    const { first, second, node } = await two()
    second.head = 1_002
    await vi.waitFor(
      async () => {
        await node.call('eth_gasPrice')
        expect(node.states()).toMatchObject([{ lag: 2 }, { lag: 0 }])
      },
      { timeout: 50_000 },
    )
    first.responses['eth_getTransactionReceipt'] = { result: null }
    for (let call = 0; call < 6; call++) {
      expect(await node.call('eth_getTransactionReceipt', ['0x1'])).toBe('second')
      expect(await node.call('eth_getBlockByNumber', ['0x3ea', false])).toMatchObject({ number: '0x3ea' })
    }
    second.responses['eth_getTransactionReceipt'] = { result: null }
    expect(await node.call('eth_getTransactionReceipt', ['0x1'])).toBeNull()
  })

  it('fails when all upstreams fail, within the retry budget', async () => {
    const { first, second, node } = await two({ pollMs: 60_000 })
    first.fault = second.fault = 500
    const calls = await Promise.allSettled(Array.from({ length: 600 }, () => node.call('eth_gasPrice')))
    expect(calls.every(({ status }) => status === 'rejected')).toBe(true)
    expect(calls[0]).toMatchObject({ reason: { message: 'The upstream returned HTTP 500.', status: 502 } })
    // No retry is sent when the retry budget is exhausted, so that an outage does not double the load.
    expect(callsOf(node)).toBeLessThan(600 + 256 + 120 + 50)
    expect(JSON.stringify(calls)).not.toContain('127.0.0.1')
  })
})

describe('a hedge', () => {
  it('is sent for few calls, when the first upstream is slower than its p95', async () => {
    const { first, second, node } = await two({ pollMs: 60_000 })
    for (let call = 0; call < 60; call++) await node.call('eth_gasPrice')
    const sent = () => node.states().reduce((all, state) => all + state.hedges, 0)
    while (sent() === 0) {
      // The slightly slower upstream may never be chosen, so the chosen one is slowed down.
      const [slow, other] =
        (await node.call('eth_gasPrice')) === 'first' ? [first, 'second'] : [second, 'first']
      slow.delayMs = 5_000
      for (let attempt = 0; attempt < 2 && sent() === 0; attempt++)
        expect(await node.call('eth_gasPrice')).toBe(other)
      slow.delayMs = 0
    }
    const [early, before] = [sent(), callsOf(node)]
    // Shorter than the time after which an upstream without received bytes counts as unresponsive.
    first.delayMs = second.delayMs = 300
    await Promise.all(Array.from({ length: 200 }, () => node.call('eth_gasPrice')))
    const hedges = callsOf(node) - before - 200
    expect(hedges).toBeGreaterThan(0)
    expect(hedges).toBeLessThanOrEqual(10 + 200 * 0.05)
    expect(sent()).toBe(early + hedges)
    expect(node.states()[0]?.failures).toBe(0)
  })

  it('is not sent when hedges are disabled, nor for a non-idempotent call', async () => {
    for (const [method, hedges, atLast] of [
      ['eth_gasPrice', false, false],
      ['eth_gasPrice', true, false],
      ['eth_newBlockFilter', true, true],
    ] as const) {
      const { first, second, node } = await two({ pollMs: 60_000, hedges })
      node.upstreams.change({ hedges: atLast })
      for (let call = 0; call < 60; call++) await node.call(method)
      const before = callsOf(node)
      first.delayMs = second.delayMs = 500
      await Promise.all(Array.from({ length: 10 }, () => node.call(method)))
      expect(callsOf(node) - before).toBe(10)
    }
  })
})

describe('a single upstream', () => {
  it('is used in every state, is not polled, and is healthy after its first response', async () => {
    const upstream = await faultyUpstream('only', { fault: 500 })
    const node = pooledNode(upstream.url)
    await Promise.allSettled(Array.from({ length: 10 }, () => node.call('eth_gasPrice')))
    expect(node.states()).toMatchObject([{ class: 'failing', breaker: 'open', calls: 10, failures: 10 }])
    upstream.fault = 'none'
    expect(await node.call('eth_gasPrice')).toBe('only')
    expect(new Set(upstream.allReceived)).toEqual(new Set(['eth_gasPrice']))
    await vi.waitFor(
      async () => {
        await node.call('eth_gasPrice')
        expect(node.states()).toMatchObject([{ breaker: 'closed', callsInFlight: 0 }])
      },
      { timeout: 50_000, interval: 200 },
    )
  })
})
