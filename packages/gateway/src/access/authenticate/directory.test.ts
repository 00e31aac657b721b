import { expect, it, vi } from 'vitest'
import type { CredentialRecord } from '../../credentials/node-grant.ts'
import { sha256Hex } from '../../credentials/secret.ts'
import { createDirectory } from './directory.ts'

function record(secret: string, expiresAt?: number): CredentialRecord {
  const grant = {
    credentialId: `id of ${secret}`,
    kind: 'token' as const,
    nodeId: 'node',
    projectId: 'project',
    organizationId: 'organization',
    chain: 'evm',
    network: 'devnet',
    protocols: ['evm'],
    upstreams: {},
    expiresAt,
  }
  return { sha256: sha256Hex(secret), grant }
}

it('finds a grant by its secret and, for those who hold one, by its id', () => {
  const directory = createDirectory()
  directory.replace([record('one'), record('two')])
  expect(directory.find('token', 'one')).toBe(directory.current('id of one'))
  expect([directory.find('basic', 'one'), directory.current('one'), directory.size]).toEqual([
    undefined,
    undefined,
    2,
  ])
  directory.replace([record('two')])
  expect([directory.find('token', 'one'), directory.current('id of one')]).toEqual([undefined, undefined])
})

it('lets a credential end at its time, also between two snapshots', () => {
  const directory = createDirectory()
  vi.useFakeTimers({ now: 1_000 })
  try {
    directory.replace([record('one', 2_000), record('two', Infinity)])
    vi.setSystemTime(1_999)
    expect(directory.find('token', 'one')).toBeDefined()
    vi.setSystemTime(2_000)
    expect([directory.find('token', 'one'), directory.current('id of one')]).toEqual([undefined, undefined])
    expect(directory.find('token', 'two')).toBeDefined()
  } finally {
    vi.useRealTimers()
  }
})

it('tells of new snapshots once they are in force, until nobody wants to hear', () => {
  const directory = createDirectory()
  const seen: boolean[] = []
  const end = directory.onReplaced(() => seen.push(directory.find('token', 'one') !== undefined))
  directory.replace([record('one')])
  directory.replace([])
  end()
  directory.replace([record('one')])
  expect(seen).toEqual([true, false])
})
