import { describe, expect, it } from 'vitest'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { createEvmUpstream } from '../upstream/evm-upstream.ts'
import { scriptedNode } from '../testing/adapted-node.ts'
import { readIdentity } from './read-identity.ts'

describe('readIdentity', () => {
  const signal = AbortSignal.timeout(10_000)
  const of = async (url: string) => {
    const upstream = createEvmUpstream(url, 5_000, new MemoryLedger(2 ** 20))
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

  it('distinguishes an unreachable upstream from one that rejects the call', async () => {
    expect(await of('http://127.0.0.1:1')).toBe('unreachable')
    const { url } = await scriptedNode({ web3_clientVersion: { error: { code: 429, message: 'slow down' } } })
    expect(await of(url)).toBe('unknown')
  })
})
