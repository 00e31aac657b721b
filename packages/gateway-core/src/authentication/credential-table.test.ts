import { expect, it } from 'vitest'
import type { CredentialRecord } from '../grants/grant.ts'
import { sha256Hex } from '../credentials/secret.ts'
import { CredentialTable } from './credential-table.ts'

function record(credential: number, node: number): CredentialRecord {
  const grant = {
    credentialId: `credential ${credential}`,
    kind: 'token' as const,
    nodeId: `node ${node}`,
    projectId: 'project',
    organizationId: 'organization',
    chain: 'evm',
    network: 'devnet',
    protocols: ['evm'],
    upstreams: {},
  }
  return { sha256: sha256Hex(`${credential}`), grant }
}

it('changes single nodes among 100,000 credentials', () => {
  const table = new CredentialTable()
  const number = 100_000
  const nodes = number / 4
  for (let credential = 0; credential < number; credential++) {
    table.put(record(credential, credential % nodes))
  }
  const changed = 200
  for (let node = 0; node < changed; node++) {
    const named = { nodeIds: [`node ${node}`], credentialIds: [] }
    expect(table.removeExcept(named, [record(node, node)])).toBe(true)
  }
  expect(table.size).toBe(number - changed * 3)
  for (let credential = 0; credential < number; credential++) {
    const isRemoved = credential >= nodes && credential % nodes < changed
    expect(table.byId(`credential ${credential}`) === undefined).toBe(isRemoved)
  }
})

it('removes the credentials that a node no longer has, for any order of changes', () => {
  // A small generator with a seed: the same changes each time.
  let state = 7
  const below = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % limit
  }
  const table = new CredentialTable()
  const nodes = new Map<number, number>()
  for (let round = 0; round < 5_000; round++) {
    const credential = below(300)
    const node = below(20)
    if (below(10) > 0) {
      table.put(record(credential, node))
      nodes.set(credential, node)
      continue
    }
    const ofNode = [...nodes].filter(([, of]) => of === node).map(([one]) => one)
    const retained = ofNode.filter(() => below(2) === 0)
    const hasRemoved = table.removeExcept(
      { nodeIds: [`node ${node}`], credentialIds: [`credential ${credential}`] },
      retained.map((one) => record(one, node)),
    )
    const removed = [...ofNode.filter((one) => !retained.includes(one)), credential]
    const before = nodes.size
    for (const one of removed) if (!retained.includes(one)) nodes.delete(one)
    expect(hasRemoved).toBe(nodes.size < before)
  }
  expect(table.size).toBe(nodes.size)
  for (let credential = 0; credential < 300; credential++) {
    const node = nodes.get(credential)
    expect(table.byId(`credential ${credential}`)?.nodeId).toBe(
      node === undefined ? undefined : `node ${node}`,
    )
  }
})
