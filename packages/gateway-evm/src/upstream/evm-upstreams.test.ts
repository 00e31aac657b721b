import { expect, it, onTestFinished } from 'vitest'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
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

const used = grantOf('used', 'http://127.0.0.1:1/used')

it('retains only the current upstreams of a node after frequent changes', () => {
  const upstreams = createEvmUpstreams(20_000, {}, new MemoryLedger(2 ** 20))
  onTestFinished(() => upstreams.close())
  const first = upstreams.of(used, 'evm')
  for (let change = 0; change < 21_000; change += 1) {
    upstreams.of(grantOf('moving', `http://127.0.0.1:1/${change}`), 'evm')
  }
  expect(upstreams.states().map(({ nodes }) => nodes)).toEqual([['used'], ['moving']])
  expect(upstreams.of(used, 'evm')).toBe(first)
})

it('changes the upstreams of a node in place while one stays', () => {
  const upstreams = createEvmUpstreams(20_000, {}, new MemoryLedger(2 ** 20))
  onTestFinished(() => upstreams.close())
  const [a, b, c] = ['a', 'b', 'c'].map((path) => `http://127.0.0.1:1/${path}`)
  const first = upstreams.of(grantOf('node', `${a} ${b}`), 'evm')
  const ids = upstreams.states().map(({ id }) => id)
  expect(upstreams.of(grantOf('node', `${b} ${c}#cordoned`), 'evm')).toBe(first)
  expect(first.list?.text).toBe(`${b} ${c}#cordoned`)
  expect(upstreams.states()).toMatchObject([
    { id: ids[1], position: 0, class: 'unknown' },
    { position: 1, class: 'cordoned' },
  ])
  expect(upstreams.of(grantOf('node', `${a}`), 'evm')).not.toBe(first)
})

it('retains the upstreams of 20,000 nodes and all upstreams in use', () => {
  const upstreams = createEvmUpstreams(20_000, {}, new MemoryLedger(2 ** 20))
  onTestFinished(() => upstreams.close())
  const first = upstreams.of(used, 'evm')
  for (let node = 0; node < 21_000; node += 1) {
    upstreams.of(grantOf(`${node}`, `http://127.0.0.1:1/${node}`), 'evm')
    if (node % 1_000 === 0) upstreams.of(used, 'evm')
  }
  expect(upstreams.states().length).toBe(20_000)
  expect(upstreams.of(used, 'evm')).toBe(first)
})
