import { expect, it } from 'vitest'
import type { CredentialRecord } from '../../grants/node-grant.ts'
import { sha256Hex } from '../../credentials/secret.ts'
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

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

it('changes one node in a time that does not depend on the credentials of all others', () => {
  const table = new CredentialTable()
  const number = 100_000
  for (let credential = 0; credential < number; credential++) {
    table.put(record(credential, credential % (number / 4)))
  }
  const rounds = 200
  const changes = []
  const scans = []
  for (let node = 0; node < rounds; node++) {
    const started = performance.now()
    expect(table.keepOnly({ nodeIds: [`node ${node}`], credentialIds: [] }, [record(node, node)])).toBe(true)
    const changed = performance.now()
    // All credentials count as put, so this reads them and removes none.
    expect(table.sweep(0, number)).toEqual({ next: undefined, removed: false })
    changes.push(changed - started)
    scans.push(performance.now() - changed)
  }
  expect(table.size).toBe(number - rounds * 3)
  // Both side by side, as the speed of the machine is not known: a change takes less than half of reading all credentials.
  expect(medianOf(changes)).toBeLessThan(medianOf(scans) / 2)
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
