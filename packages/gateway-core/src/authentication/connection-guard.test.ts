import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { Rejection } from '../admission/types.ts'
import type { Grant } from '../grants/grant.ts'
import { grantWith } from '../testing/limited-grant.ts'
import { ConnectionGuard, type AccessLoss } from './connection-guard.ts'
import { createDirectory } from './directory.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A guarded connection of one credential. */
function guarded(change: Partial<Grant> = {}) {
  const directory = createDirectory()
  let rejection: Rejection | undefined
  const put = (newer: Partial<Grant> = {}) =>
    directory.replace([{ sha256: 'secret', grant: grantWith({ ...change, ...newer }) }])
  put()
  const guard = new ConnectionGuard({
    protocol: 'test',
    directory,
    admission: { checkRequester: () => rejection },
  })
  onTestFinished(() => guard.close())
  const losses: AccessLoss[] = []
  const renewed: Grant[] = []
  const { credentialId } = grantWith()
  const connection = {
    grant: directory.current(credentialId) as Grant,
    requester: { address: '192.0.2.1', origin: undefined },
    renew: (grant: Grant) => {
      renewed.push(grant)
      return grant.upstreams['test'] === change.upstreams?.['test']
    },
    end: (loss: AccessLoss) => {
      losses.push(loss)
      guard.delete(connection)
    },
  }
  return {
    connection,
    guard,
    losses,
    renewed,
    put,
    revoke: () => directory.replace([]),
    reject: (next: Rejection | undefined) => (rejection = next),
  }
}

it('does not end a connection while its credential grants the same access', () => {
  const { guard, connection, losses, renewed, put } = guarded()
  guard.add(connection)
  put({ upstreams: {}, network: 'other' })
  vi.advanceTimersByTime(60_000)
  expect(losses).toEqual([])
  expect(renewed.map(({ network }) => network)).toEqual(['other'])
})

it('ends a connection whose credential was revoked', () => {
  const { guard, connection, losses, revoke } = guarded()
  guard.add(connection)
  revoke()
  expect(losses).toEqual([{ cause: 'revoked' }])
})

it('ends a connection within 250 ms after its credential expires', () => {
  const { guard, connection, losses } = guarded({ expiresAt: Date.now() + 1_000 })
  guard.add(connection)
  vi.advanceTimersByTime(999)
  expect(losses).toEqual([])
  vi.advanceTimersByTime(251)
  expect(losses).toEqual([{ cause: 'expired' }])
})

it('ends a connection whose credential was revoked before it was added', () => {
  const { guard, connection, losses, revoke } = guarded()
  revoke()
  guard.add(connection)
  vi.advanceTimersByTime(250)
  expect(losses).toEqual([{ cause: 'revoked' }])
})

it.each([
  [
    { status: 403, reason: 'A rule.', data: { rule: 'ip' } },
    { cause: 'rule', reason: 'A rule.' },
  ],
  [
    { status: 404, reason: 'Not offered.' },
    { cause: 'protocol', reason: 'Not offered.' },
  ],
] as const)('ends one that admission rejects with %j', (rejection, loss) => {
  const { guard, connection, losses, put, reject } = guarded()
  guard.add(connection)
  reject(rejection)
  put({ network: 'other' })
  expect(losses).toEqual([loss])
})

it('ends a connection that cannot continue at the upstreams of the current grant', () => {
  const { guard, connection, losses, put } = guarded({ upstreams: { test: 'http://a' } })
  guard.add(connection)
  put({ upstreams: { test: 'http://a', other: 'http://b' } })
  expect(losses).toEqual([])
  put({ upstreams: { test: 'http://b' } })
  expect(losses).toEqual([{ cause: 'moved' }])
})

it('ends nothing that was deleted, and nothing once it is closed', () => {
  const { guard, connection, losses, revoke } = guarded()
  guard.add(connection)
  guard.delete(connection)
  revoke()
  const second = guarded()
  second.guard.add(second.connection)
  second.guard.close()
  second.revoke()
  vi.advanceTimersByTime(60_000)
  expect([...losses, ...second.losses]).toEqual([])
})
