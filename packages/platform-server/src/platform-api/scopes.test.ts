import { routes, schemas } from '@fairlead/platform-client/contract'
import type { Route } from '@fairlead/core'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { type Scope, allScopes, scopesOfRole } from '../identity/scopes.ts'
import { issueApiKey } from '../records/api-keys.ts'
import type { Role } from '../identity/role.ts'
import { member, rejection } from '../testing/browser.ts'
import { type PlatformFixture, platformFixture } from '../testing/platform-fixture.ts'
import { type TemporaryDatabase, anyDatabase } from '../testing/temporary-store.ts'

const all = Object.values<Route>(routes)
const scoped = all.filter((route) => (route.scopes ?? []).length > 0)
const roles: readonly Role[] = ['owner', 'admin', 'editor', 'viewer']

describe('scopes', () => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  const ids = new Map<Role, string>()
  beforeAll(async () => {
    database = await anyDatabase()
    fixture = await platformFixture(database)
    const owner = await fixture.store.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    ids.set('owner', owner.id)
    for (const role of ['admin', 'editor', 'viewer'] as const) {
      ids.set(role, await member(fixture, `${role}@breakwater.test`, role))
    }
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  /** Sends a request in which only the key is valid. */
  async function send(route: Route, scopes: readonly Scope[], role: Role = 'owner') {
    const { organizationId } = fixture.first
    const creatorId = ids.get(role) ?? ''
    const options = { organizationId, creatorId, name: 'k', origin: 'user' } as const
    const { key } = await issueApiKey(fixture.store.db, { ...options, scopes })
    return fixture.anonymous(route.path.replaceAll(/\{\w+\}/g, 'XX-0'), {
      method: route.method,
      headers: { authorization: `Bearer ${key}` },
    })
  }

  it('are those of the contract', () => {
    expectTypeOf<Scope>().toEqualTypeOf<(typeof schemas.Scope.enum)[number]>()
    expect([...allScopes]).toEqual([...schemas.Scope.enum])
    const named = new Set(all.flatMap((route) => route.scopes ?? []))
    expect([...named].filter((scope) => !allScopes.some((known) => known === scope))).toEqual([])
  })

  it('are declared by every operation that requires authentication', () => {
    const silent = all.filter((route) => (route.scopes === undefined) !== (route.public === true))
    expect(silent.map((route) => route.operationId)).toEqual([])
    const open = all.filter((route) => route.public === true).map((route) => route.operationId)
    expect(new Set(open)).toEqual(
      new Set([
        'acceptInvitation',
        'createSession',
        'getSignInOptions',
        'beginOidcSignIn',
        'finishOidcSignIn',
      ]),
    )
  })

  it('of a mutation are write scopes', () => {
    const loose = scoped.filter(
      (route) =>
        (route.method === 'GET') !== (route.scopes?.every((scope) => scope.endsWith(':read')) ?? false),
    )
    expect(loose.map((route) => route.operationId)).toEqual([])
  })

  it.each(scoped)('$operationId is rejected for a key without $scopes', async (route) => {
    const needed = route.scopes ?? []
    const rejected = await send(
      route,
      allScopes.filter((scope) => !needed.includes(scope)),
    )
    expect(rejection(rejected)).toEqual([403, 'permission_denied'])
    expect(rejected.headers['www-authenticate']).toBe(
      `Bearer realm="platform", error="insufficient_scope", scope="${needed.join(' ')}"`,
    )
    const granted = await send(
      route,
      allScopes.filter((scope) => needed.includes(scope)),
    )
    expect(granted.statusCode).not.toBe(403)
    const path = route.path.replaceAll(/\{\w+\}/g, 'XX-0')
    expect((await fixture.anonymous(path, { method: route.method })).statusCode).toBe(401)
  })

  it.each(roles)('of a key never exceed those of its creator, a %s', async (role) => {
    const needs = new Map(scoped.map((route) => [route.scopes?.join(), route]))
    for (const route of needs.values()) {
      const response = await send(route, allScopes, role)
      const isGranted = allScopes.some(
        (scope) => route.scopes?.[0] === scope && scopesOfRole[role].has(scope),
      )
      expect([route.operationId, response.statusCode === 403]).toEqual([route.operationId, !isGranted])
    }
  })
})
