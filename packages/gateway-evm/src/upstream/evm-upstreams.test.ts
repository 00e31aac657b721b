import { expect, it, onTestFinished } from 'vitest'
import { MemoryBudget } from '@fairlead/gateway-core/memory/memory-budget'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { createEvmUpstreams } from './evm-upstreams.ts'

const grantOf = (nodeId: string, evm: string): Grant => ({
  credentialId: 'credential',
  kind: 'token',
  nodeId,
  projectId: 'project',
  organizationId: 'organization',
  chain: 'evm',
  network: 'mainnet',
  protocols: ['evm'],
  upstreams: { evm },
})

it('addresses that nobody uses any more are let go of, those in use stay', () => {
  const upstreams = createEvmUpstreams(20_000, {}, new MemoryBudget(2 ** 20))
  onTestFinished(() => upstreams.close())
  const first = upstreams.of(grantOf('used', 'http://127.0.0.1:1/used'), 'evm')
  for (let change = 0; change < 30_000; change += 1) {
    upstreams.of(grantOf('moving', `http://127.0.0.1:1/${change}`), 'evm')
    if (change % 1_000 === 0) upstreams.of(grantOf('used', 'http://127.0.0.1:1/used'), 'evm')
  }
  expect(upstreams.states().length).toBe(20_000)
  expect(upstreams.of(grantOf('used', 'http://127.0.0.1:1/used'), 'evm')).toBe(first)
})
