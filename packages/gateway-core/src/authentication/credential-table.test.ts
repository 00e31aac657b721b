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

it('changes one node in a time that does not depend on the credentials of all others', () => {
  const table = new CredentialTable()
  const number = 100_000
  for (let credential = 0; credential < number; credential++) {
    table.put(record(credential, credential % (number / 4)))
  }
  const rounds = 200
  let [shortestChange, shortestScan] = [Infinity, Infinity]
  for (let node = 0; node < rounds; node++) {
    const named = { nodeIds: [`node ${node}`], credentialIds: [] }
    const kept = [record(node, node)]
    const started = performance.now()
    table.keepOnly(named, kept)
    const changed = performance.now()
    // All credentials count as put, so this reads them and removes none.
    table.sweep(0, number)
    const scanned = performance.now()
    shortestChange = Math.min(shortestChange, changed - started)
    shortestScan = Math.min(shortestScan, scanned - changed)
  }
  expect(table.size).toBe(number - rounds * 3)
  // The shortest of each is compared, because other work on the machine only adds time.
  expect(shortestChange).toBeLessThan(shortestScan / 2)
})

it('takes away what a node no longer has, through any order of changes', () => {
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
    const kept = ofNode.filter(() => below(2) === 0)
    const lost = table.keepOnly(
      { nodeIds: [`node ${node}`], credentialIds: [`credential ${credential}`] },
      kept.map((one) => record(one, node)),
    )
    const gone = [...ofNode.filter((one) => !kept.includes(one)), credential]
    const before = nodes.size
    for (const one of gone) if (!kept.includes(one)) nodes.delete(one)
    expect(lost).toBe(nodes.size < before)
  }
  expect(table.size).toBe(nodes.size)
  for (let credential = 0; credential < 300; credential++) {
    const node = nodes.get(credential)
    expect(table.byId(`credential ${credential}`)?.nodeId).toBe(
      node === undefined ? undefined : `node ${node}`,
    )
  }
})
