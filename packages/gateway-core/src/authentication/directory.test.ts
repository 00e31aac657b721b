import { expect, it, vi } from 'vitest'
import type { CredentialRecord, Grant } from '../grants/grant.ts'
import { sha256Hex } from '../credentials/secret.ts'
import { createDirectory } from './directory.ts'

function record(secret: string, change: Partial<Grant> = {}): CredentialRecord {
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
    ...change,
  }
  return { sha256: sha256Hex(secret), grant }
}

it('finds a grant by its secret and by its credential id', () => {
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

it('returns the grants that were added', () => {
  const directory = createDirectory()
  const limits = { credential: { requestsPerDay: 1 }, node: { requestsPerDay: 2 } }
  const one = record('one', { kind: 'basic', expiresAt: 9e15, limits, settings: { beaconDebug: false } })
  const two = record('two', { nodeId: 'other', limits: { node: limits.node } })
  directory.replace([one, two])
  expect(directory.find('basic', 'one')).toEqual(one.grant)
  expect(directory.find('token', 'two')).toEqual(two.grant)
})

it('expires a credential on time, also between two snapshots', () => {
  const directory = createDirectory()
  vi.useFakeTimers({ now: 1_000 })
  try {
    directory.replace([record('one', { expiresAt: 2_000 }), record('two', { expiresAt: Infinity })])
    vi.setSystemTime(1_999)
    expect(directory.find('token', 'one')).toBeDefined()
    vi.setSystemTime(2_000)
    expect([directory.find('token', 'one'), directory.current('id of one')]).toEqual([undefined, undefined])
    expect(directory.find('token', 'two')).toBeDefined()
  } finally {
    vi.useRealTimers()
  }
})

it('notifies listeners after a change is applied, until they unsubscribe', () => {
  const directory = createDirectory()
  const seen: boolean[] = []
  const end = directory.onReplaced(() => seen.push(directory.find('token', 'one') !== undefined))
  directory.replace([record('one')])
  directory.replace([])
  end()
  directory.replace([record('one')])
  expect(seen).toEqual([true, false])
})

it('returns the same grant object until something about it changes', () => {
  const directory = createDirectory()
  directory.replace([record('one'), record('two'), record('other', { nodeId: 'other' })])
  const grants = () => ['one', 'two', 'other'].map((name) => directory.find('token', name))
  const before = grants()
  directory.replace([record('one'), record('two'), record('other', { nodeId: 'other' })])
  expect(grants().map((grant, at) => grant === before[at])).toEqual([true, true, true])
  directory.change({ nodeIds: [], credentialIds: ['id of two'] }, [record('two', { expiresAt: 9e15 })])
  expect(grants().map((grant, at) => grant === before[at])).toEqual([true, false, true])
  expect(directory.find('token', 'two')).toMatchObject({ expiresAt: 9e15 })
  // Data of the node is the same for all of its credentials.
  directory.change({ nodeIds: [], credentialIds: ['id of two'] }, [
    record('two', { upstreams: { evm: 'x' } }),
  ])
  expect(grants().map((grant) => grant?.upstreams['evm'])).toEqual(['x', 'x', undefined])
  expect(directory.find('token', 'two')).not.toHaveProperty('expiresAt')
  expect(grants()[2]).toBe(before[2])
})

it('changes the named records only, and does not notify without a change', () => {
  const directory = createDirectory()
  directory.replace(['a', 'b', 'c'].map((name) => record(name, { nodeId: name < 'c' ? 'ab' : 'c' })))
  const listener = vi.fn()
  directory.onReplaced(listener)
  const foundNames = () => ['a', 'b', 'c', 'd'].filter((name) => directory.find('token', name)).join('')
  directory.change({ nodeIds: [], credentialIds: ['id of b', 'unknown'] }, [])
  expect([foundNames(), listener.mock.calls.length]).toEqual(['ac', 1])
  directory.change({ nodeIds: ['ab'], credentialIds: [] }, [record('d', { nodeId: 'ab' })])
  expect([foundNames(), listener.mock.calls.length]).toEqual(['cd', 2])
  directory.change({ nodeIds: ['c', 'unknown'], credentialIds: [] }, [record('c', { nodeId: 'c' })])
  expect([foundNames(), listener.mock.calls.length]).toEqual(['cd', 2])
  // A new secret with the same id.
  const rotated = { ...record('a', { nodeId: 'c', credentialId: 'id of c' }) }
  directory.change({ nodeIds: [], credentialIds: ['id of c'] }, [rotated])
  expect([foundNames(), directory.size]).toEqual(['ad', 2])
  expect(directory.current('id of c')).toBe(directory.find('token', 'a'))
})

it('reloads all records page by page, and removes at the end the records of no page', async () => {
  const directory = createDirectory()
  directory.replace([record('one'), record('two'), record('three')])
  const listener = vi.fn()
  directory.onReplaced(listener)
  const reload = directory.reload()
  reload.add([record('one')])
  // Changes during the reload are not lost.
  directory.change({ nodeIds: [], credentialIds: ['id of new'] }, [record('new')])
  reload.add([record('two')])
  expect(directory.size).toBe(4)
  await reload.end()
  expect(['one', 'two', 'three', 'new'].map((name) => directory.find('token', name) !== undefined)).toEqual([
    true,
    true,
    false,
    true,
  ])
  const secondReload = directory.reload()
  secondReload.add([record('one'), record('two'), record('new')])
  listener.mockClear()
  await secondReload.end()
  expect(listener).not.toHaveBeenCalled()
})

it('contains the same records as a map after thousands of changes', () => {
  const directory = createDirectory()
  const expected = new Map<string, string>()
  let seed = 1
  const random = (below: number) => (seed = (Math.imul(seed, 48_271) >>> 0) % 2_147_483_647) % below
  for (let round = 0; round < 20_000; round++) {
    const name = `s${random(700)}`
    const nodeId = `n${random(40)}`
    const credentialIds = [`id of ${name}`]
    if (random(3) === 0) {
      directory.change({ nodeIds: [], credentialIds }, [])
      expected.delete(name)
    } else {
      directory.change({ nodeIds: [], credentialIds }, [record(name, { nodeId })])
      expected.set(name, nodeId)
    }
  }
  expect(directory.size).toBe(expected.size)
  for (let at = 0; at < 700; at++) {
    const name = `s${at}`
    expect(directory.find('token', name)?.nodeId).toBe(expected.get(name))
    expect(directory.current(`id of ${name}`)?.nodeId).toBe(expected.get(name))
  }
})
