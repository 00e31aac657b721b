import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, type EvmDevnetChain, startDevnet } from '@fairlead/devnet'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { RateBudget } from '@fairlead/gateway-core/upstream/rate-budget'
import { pooledNode } from '../testing/pooled-node.ts'

vi.setConfig({ testTimeout: 60_000 })

let directory: string
let devnets: readonly Devnet[]
let addresses: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-caller-text-'))
  devnets = await Promise.all(
    ['one', 'other'].map((name) => startDevnet({ dataDirectory: join(directory, name), chains: ['evm'] })),
  )
  addresses = devnets
    .flatMap(({ chains }) => (chains as readonly EvmDevnetChain[]).map(({ url }) => url))
    .join(' ')
})
afterAll(async () => {
  await Promise.all(devnets.map((devnet) => devnet.stop()))
  await rm(directory, { recursive: true })
})

/** Returns code that reverts with `Error(text)`: it copies the data that follows the code. */
function reverting(text: string): string {
  const word = (hex: string) => hex.padStart(64, '0')
  const letters = Buffer.from(text).toString('hex').padEnd(64, '0')
  const data = `08c379a0${word('20')}${word(text.length.toString(16))}${letters}`
  return `0x6064600c60003960646000fd${data}`
}

it.each(['rate limit exceeded', 'too many requests', 'request rate exceeded'])(
  'a contract that reverts with "%s" does not slow down other callers',
  async (text) => {
    const pause = vi.spyOn(RateBudget.prototype, 'recordRejection')
    const node = pooledNode(addresses)
    const call = { data: reverting(text) }
    const over = new AbortController()
    const reverts: unknown[] = []
    const attack = (async () => {
      while (!over.signal.aborted) {
        await node.call('eth_call', [call, 'latest']).catch((error: unknown) => reverts.push(error))
      }
    })()
    await vi.waitFor(() => expect(reverts.length).toBeGreaterThan(4), { timeout: 50_000 })
    for (let calls = 0; calls < 100; calls++) {
      expect(await node.call('eth_chainId')).toBe('0x7a69')
    }
    over.abort()
    await attack
    expect(pause).not.toHaveBeenCalled()
    expect(new Set(reverts.map((error) => (error as { readonly code: number }).code))).toEqual(new Set([3]))
    expect(String(reverts[0])).toContain(text)
    expect(node.states()).toMatchObject([
      { class: 'ready', breaker: 'closed', failures: 0 },
      { class: 'ready', breaker: 'closed', failures: 0 },
    ])
  },
)
