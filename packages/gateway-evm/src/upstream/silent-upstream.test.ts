import { describe, expect, it, vi } from 'vitest'
import { faultyUpstream } from '../testing/faulty-upstream.ts'
import { pooledNode, type PooledNode } from '../testing/pooled-node.ts'

const later = { timeout: 50_000 }
// More calls than the budgets for hedges and retries allow.
const many = 450

/**
 * Starts two upstreams. The first one receives all calls while it responds, because the other one lags. The timeout of
 * a call exceeds that of the test, so a call ends only when the pool sends it to the other upstream.
 */
async function preferred(hedges = true) {
  const [first, second] = await Promise.all([
    faultyUpstream('first'),
    faultyUpstream('second', { head: 990 }),
  ])
  const node = pooledNode(`${first.url} ${second.url}`, { hedges, pollMs: 60_000, timeoutMs: 600_000 })
  for (let call = 0; call < 40; call += 1) await node.call('eth_gasPrice')
  return { first, second, node }
}

/** Sends many concurrent calls and returns their distinct results. */
async function callMany(node: PooledNode, method: string, count = many) {
  return new Set(await Promise.all(Array.from({ length: count }, () => node.call(method))))
}

describe('an upstream that stops responding', () => {
  it.each([
    ['hang', 'eth_gasPrice', true],
    ['hang', 'eth_gasPrice', false],
    ['hang', 'eth_call', true],
    ['stalled body', 'eth_gasPrice', true],
    ['stalled body', 'eth_call', true],
  ] as const)('fails no call: %s, %s, hedges %s', async (fault, method, hedges) => {
    const { first, node } = await preferred(hedges)
    first.fault = fault
    expect(await callMany(node, method)).toEqual(new Set(['second']))
  })

  it('receives no calls until it responds to a probe', async () => {
    const { first, second, node } = await preferred()
    first.fault = 'hang'
    await callMany(node, 'eth_gasPrice', 20)
    expect(node.states()).toMatchObject([{ class: 'failing', breaker: 'closed' }, { class: 'lagging' }])
    const { received } = first
    received.length = 0
    second.responses['eth_gasPrice'] = ([call]) => ({ result: `second ${String(call)}` })
    const attempts = () => node.states().map(({ calls }) => calls)
    const [before = 0, otherBefore = 0] = attempts()
    const calls = Array.from({ length: many }, (_, call) => call)
    const responses = await Promise.all(calls.map((call) => node.call('eth_gasPrice', [call])))
    expect(responses).toEqual(calls.map((call) => `second ${call}`))
    // The number of requests that the second upstream receives is not meaningful: a busy connection reassigns calls to
    // another one.
    expect(attempts()).toEqual([before, otherBefore + many])
    expect(received).toEqual([])
    first.fault = 'none'
    await vi.waitFor(() => expect(node.states()[0]?.class).toBe('ready'), later)
    await vi.waitFor(async () => expect(await node.call('eth_gasPrice')).toBe('first'), later)
  })

  it('receives no non-idempotent call again', async () => {
    const { first, second, node } = await preferred()
    first.fault = 'hang'
    second.received.length = 0
    const change = node.call('eth_sendTransaction').catch((error: unknown) => error)
    const filter = node.call('eth_newFilter').catch((error: unknown) => error)
    await callMany(node, 'eth_gasPrice', 20)
    expect(new Set(second.received)).toEqual(new Set(['eth_gasPrice']))
    await first.kill()
    expect(await Promise.all([change, filter])).toEqual([expect.any(Error), expect.any(Error)])
  })
})

it('an upstream with a slow call that responds to a probe retains the call', async () => {
  const { first, second, node } = await preferred(false)
  second.received.length = 0
  first.delayMs = 1_800
  const slow = Promise.all(Array.from({ length: 5 }, () => node.call('eth_call')))
  const isSlow = (method: string) => method === 'eth_call'
  await vi.waitFor(() => expect(first.received.filter(isSlow)).toHaveLength(5), later)
  first.delayMs = 0
  expect(new Set(await slow)).toEqual(new Set(['first']))
  expect(second.received).toEqual([])
  expect(first.allReceived.filter((method) => method === 'eth_chainId').length).toBeGreaterThan(1)
})
