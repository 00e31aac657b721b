import { describe, expect, it } from 'vitest'
import { MemoryBudget } from '@fairlead/gateway-core/memory/memory-budget'
import { createEvmUpstream } from '../upstream/evm-upstream.ts'
import { scriptedNode } from '../testing/adapted-node.ts'
import { type Change, type Identity, readIdentity, UpstreamIdentities } from './upstream-identity.ts'

const geth = { text: 'geth' }
const erigon = { text: 'erigon' }

function observer() {
  let now = 0
  const identities = new UpstreamIdentities(() => now)
  return {
    see: (identity: Identity) => identities.observe('node', 'http://a', [identity]),
    pass: (ms: number) => (now += ms),
  }
}

describe('what answers at an address', () => {
  it('is another one when its version or its namespaces are', () => {
    const { see } = observer()
    expect([geth, geth, erigon, erigon, geth].map(see)).toEqual([
      'same',
      'same',
      'changed',
      'same',
      'changed',
    ])
  })

  it('is another connection when it was away, whatever it says then', () => {
    const { see, pass } = observer()
    expect((['away', geth, 'away', 'away', geth, geth] as const).map(see)).toEqual([
      'same',
      'same',
      'away',
      'same',
      'changed',
      'same',
    ] satisfies readonly Change[])
    // Not each time when it breaks again and again.
    expect((['away', geth] as const).map(see)).toEqual(['away', 'same'])
    pass(600_000)
    expect((['away', geth] as const).map(see)).toEqual(['away', 'changed'])
  })

  it('is not another one when it refuses to say', () => {
    const { see } = observer()
    expect(([geth, 'unknown', geth] as const).map(see)).toEqual(['same', 'same', 'same'])
  })

  it('is several ones when they answer in turn', () => {
    const { see, pass } = observer()
    const seen = Array.from({ length: 12 }, (_, at) => see(at % 2 === 0 ? geth : erigon))
    expect(seen.filter((change) => change === 'changed')).toHaveLength(3)
    expect(see({ text: 'geth 2' })).toBe('changed')
    pass(3_600_000)
    expect(see(geth)).toBe('changed')
  })

  it('is forgotten with the text of the upstreams', () => {
    const identities = new UpstreamIdentities()
    expect(identities.observe('node', 'http://a', [geth])).toBe('same')
    expect(identities.observe('node', 'http://a http://b', [erigon, geth])).toBe('same')
    expect(identities.observe('node', 'http://a http://b', [erigon, erigon])).toBe('changed')
    identities.keepOnly(new Set())
    expect(identities.observe('node', 'http://a http://b', [geth, geth])).toBe('same')
  })
})

describe('readIdentity', () => {
  const signal = AbortSignal.timeout(10_000)
  const of = async (url: string) => {
    const upstream = createEvmUpstream(url, 5_000, new MemoryBudget(2 ** 20))
    try {
      return await readIdentity(upstream, signal)
    } finally {
      await upstream.close()
    }
  }

  it('reads the version and the namespaces, if there are any', async () => {
    const version = { result: 'Geth/v1' }
    const { url } = await scriptedNode({
      web3_clientVersion: version,
      rpc_modules: { result: { web3: '1.0', eth: '1.0' } },
    })
    expect(await of(url)).toEqual({ text: '["Geth/v1",[["eth","1.0"],["web3","1.0"]]]' })
    expect(await of((await scriptedNode({ web3_clientVersion: version })).url)).toEqual({
      text: '["Geth/v1",null]',
    })
  })

  it('tells an upstream that is away from one that refuses', async () => {
    expect(await of('http://127.0.0.1:1')).toBe('away')
    const { url } = await scriptedNode({ web3_clientVersion: { error: { code: 429, message: 'slow down' } } })
    expect(await of(url)).toBe('unknown')
  })
})
