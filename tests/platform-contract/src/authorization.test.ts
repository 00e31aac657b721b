import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Role } from '@fairlead/platform-server/identity/role'
import { allScopes, type Scope } from '@fairlead/platform-server/identity/scopes'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { setPassword } from '@fairlead/platform-server/records/users'
import { allRows } from '@fairlead/platform-server/testing/all-rows'
import { backends, type TemporaryDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { violationsOf, operationIds, routeTable } from './contract-violations.ts'
import { type Caller, keyOf, unauthenticated, sessionOf } from './caller.ts'
import { validRequests } from './valid-requests.ts'
import { foreignPaths, pathOf } from './object-kinds.ts'
import type { RequestInput } from './request-input.ts'
import { foreignName, startTestEnvironment, type TestEnvironment } from './test-environment.ts'
import { permissions } from './permissions.ts'

const roles: readonly Role[] = ['owner', 'admin', 'editor', 'viewer']

describe.each(backends)('permissions on $name', ({ create }) => {
  let database: TemporaryDatabase
  let environment: TestEnvironment
  const people = new Map<Role, string>()
  beforeAll(async () => {
    database = await create()
    environment = await startTestEnvironment(database)
    people.set('owner', environment.home.owner.userId)
    for (const role of ['admin', 'editor', 'viewer'] as const)
      people.set(role, await environment.home.member(role))
  })
  afterAll(async () => {
    await environment.close()
    await database.remove()
  })

  const person = (role: Role) => ({
    organizationId: environment.home.organizationId,
    userId: people.get(role) ?? '',
  })
  const session = (role: Role) => sessionOf(environment.fixture.store, person(role))
  const key = (role: Role, scopes?: readonly Scope[]) =>
    keyOf(environment.fixture.store, person(role), scopes)
  const { send, validInput } = {
    send: (id: OperationId, input: RequestInput, caller: Caller) => environment.send(id, input, caller),
    validInput: async (id: OperationId): Promise<RequestInput> => {
      const { caller: _, ...input } = await validRequests[id](environment)
      return input
    },
  }

  describe.each(roles)('a session of a member of the role %s', (role) => {
    it.each(operationIds)('%s', async (id) => {
      const caller = await session(role)
      const may = permissions[id].roles.includes(role.charAt(0))
      const response = await send(
        id,
        { ...(await validInput(id)), ...(may && (await createOwnObject(id, caller))) },
        caller,
      )
      expect([response.status, violationsOf(id, response)]).toEqual([
        may ? expect.toSatisfy((status: number) => status < 400) : 403,
        [],
      ])
    })
  })

  /** The content of a request that any caller may send for their own object. */
  async function createOwnObject(id: OperationId, caller: Caller): Promise<RequestInput> {
    if (keysOfOthers.includes(id)) return { path: { id: await idOfNewKey(['org:read'], caller) } }
    const { body } = await send('getSession', {}, caller)
    if (id === 'revokeSession') return { path: { id: (JSON.parse(body) as { readonly id: string }).id } }
    if (id !== 'changePassword') return {}
    const { user } = JSON.parse(body) as { readonly user: { readonly id: string } }
    const hash = environment.passwordHash
    await setPassword(environment.fixture.store.db, user.id, { hash, origin: 'user', mustChange: false })
    return {}
  }

  it.each(allScopes)(
    'a key with the scope %s alone may do what needs it, and nothing else',
    async (scope) => {
      const caller = await key('owner', [scope])
      const allowed: OperationId[] = []
      for (const id of operationIds) {
        // The object does not exist: an authorized caller receives that as the response.
        const { status } = await send(id, absent(id), caller)
        if (status !== 401 && status !== 403) allowed.push(id)
      }
      const expected = operationIds.filter((id) => [scope, 'public'].includes(permissions[id].by))
      expect(allowed).toEqual(expected)
    },
  )

  it('rejects unauthenticated, expired and revoked callers', async () => {
    const { db } = environment.fixture.store
    const disabled = {
      organizationId: environment.home.organizationId,
      userId: await environment.home.member('admin'),
    }
    const removed = {
      organizationId: environment.home.organizationId,
      userId: await environment.home.member('admin'),
    }
    const callers: Readonly<Record<string, Caller>> = {
      'no credential': unauthenticated,
      'a key of a disabled member': await keyOf(environment.fixture.store, disabled),
      'a session of a disabled member': await sessionOf(environment.fixture.store, disabled),
      'a key of a former member': await keyOf(environment.fixture.store, removed),
      'a session of a former member': await sessionOf(environment.fixture.store, removed),
      'an expired key': await inactiveKey('expires_at'),
      'a revoked key': await inactiveKey('revoked_at'),
      'a session that has ended': await expiredSession(),
    }
    for (const caller of Object.values(callers).slice(1, 5)) {
      expect((await send('getOrganization', {}, caller)).status).toBe(200)
    }
    const by = await session('owner')
    await send('updateMember', { path: { id: disabled.userId }, body: { disabled: true } }, by)
    await send('removeMember', { path: { id: removed.userId } }, by)
    for (const [name, caller] of Object.entries(callers)) {
      for (const id of operationIds) {
        const { status } = await send(id, absent(id), caller)
        const isRefused = status === 401 || status === 403
        const isExpected =
          id === 'createSession' || (permissions[id].by === 'public' ? !isRefused : status === 401)
        expect([name, id, isExpected]).toEqual([name, id, true])
      }
    }

    async function inactiveKey(column: 'expires_at' | 'revoked_at'): Promise<Caller> {
      const caller = await key('owner')
      const prefix = caller.authorization.slice('Bearer '.length).split('.')[0] ?? ''
      await sql`update api_keys set ${sql.ref(column)} = clock_timestamp() - interval '1 second' where id =
        (select key_id from api_key_secrets where prefix = ${prefix})`.execute(db)
      return caller
    }

    async function expiredSession(): Promise<Caller> {
      const caller = await session('viewer')
      const pastTime = sql<string>`clock_timestamp() - interval '1 second'`
      await db
        .updateTable('sessions')
        .set({ expires_at: pastTime })
        .where('user_id', '=', person('viewer').userId)
        .execute()
      return caller
    }
  })

  it('a key loses the scopes that the role of its creator loses', async () => {
    const userId = await environment.home.member('admin')
    const caller = await keyOf(environment.fixture.store, {
      organizationId: environment.home.organizationId,
      userId,
    })
    expect((await send('listAuditLog', {}, caller)).status).toBe(200)
    const owner = await session('owner')
    await send('updateMember', { path: { id: userId }, body: { role: 'viewer' } }, owner)
    expect((await send('listAuditLog', {}, caller)).status).toBe(403)
    expect((await send('createProject', { body: { name: 'x' } }, caller)).status).toBe(403)
    expect((await send('listProjects', {}, caller)).status).toBe(200)
  })

  it('no key has more permissions than its creator', async () => {
    const outcomes = async (caller: Caller) => {
      const created: Scope[] = []
      for (const scope of allScopes) {
        const { status } = await send('createApiKey', { body: { name: 'k', scopes: [scope] } }, caller)
        expect([201, 403]).toContain(status)
        if (status === 201) created.push(scope)
      }
      return created
    }
    const editorScopes = allScopes.filter(
      (scope) =>
        !['org:write', 'members:write', 'audit:read'].includes(scope) && !scope.startsWith('webhooks'),
    )
    expect(await outcomes(await session('owner'))).toEqual(allScopes)
    expect(await outcomes(await session('editor'))).toEqual(editorScopes)
    expect(await outcomes(await key('owner', ['keys:write', 'org:read']))).toEqual(['org:read', 'keys:write'])
    expect(await outcomes(await key('viewer'))).toEqual([])
    // Neither by changing a key nor by rotating its secret.
    const limited = await key('owner', ['keys:write'])
    const path = { id: await idOfNewKey(['org:read']) }
    const escalation = await send(
      'updateApiKey',
      { path, body: { scopes: ['org:read', 'org:write'] } },
      limited,
    )
    expect(escalation.status).toBe(403)
    expect((await send('rotateApiKey', { path, body: {} }, limited)).status).toBe(403)
  })

  async function idOfNewKey(scopes: readonly Scope[], caller?: Caller): Promise<string> {
    const response = await send(
      'createApiKey',
      { body: { name: 'k', scopes } },
      caller ?? (await session('owner')),
    )
    return (JSON.parse(response.body) as { readonly id: string }).id
  }

  it('an editor can list and change only their own keys', async () => {
    const editor = await session('editor')
    const ownKey = await idOfNewKey(['org:read'], editor)
    const otherKey = await idOfNewKey(['org:read'])
    const list = await send('listApiKeys', {}, editor)
    const { results } = JSON.parse(list.body) as {
      readonly results: readonly { readonly id: string; readonly creator: { readonly id: string } }[]
    }
    expect(new Set(results.map(({ creator }) => creator.id))).toEqual(new Set([person('editor').userId]))
    expect(results.map(({ id }) => id)).toContain(ownKey)
    const bodies = {
      updateApiKey: { name: 'x' },
      rotateApiKey: {},
      getApiKey: undefined,
      revokeApiKey: undefined,
    }
    for (const [id, body] of Object.entries(bodies) as [keyof typeof bodies, unknown][]) {
      const inputFor = (targetId: string) => ({ path: { id: targetId }, ...(body !== undefined && { body }) })
      expect([id, (await send(id, inputFor(otherKey), editor)).status]).toEqual([id, 404])
      expect([id, (await send(id, inputFor(ownKey), editor)).status < 300]).toEqual([id, true])
    }
  })

  it('an admin cannot change the owner or become the owner', async () => {
    const [admin, adminKey] = [await session('admin'), await key('admin')]
    const owner = { id: person('owner').userId }
    const ownersKey = { id: await idOfNewKey(['org:read']) }
    for (const caller of [admin, adminKey]) {
      for (const body of [{ role: 'viewer' }, { disabled: true }, { first_name: 'X' }]) {
        expect((await send('updateMember', { path: owner, body }, caller)).status).toBe(403)
      }
      expect((await send('removeMember', { path: owner }, caller)).status).toBe(403)
      for (const id of [person('admin').userId, person('viewer').userId]) {
        expect((await send('updateMember', { path: { id }, body: { role: 'owner' } }, caller)).status).toBe(
          403,
        )
      }
      const invitation = { email: 'second-owner@example.test', role: 'owner' }
      expect((await send('createInvitation', { body: invitation }, caller)).status).toBe(400)
      expect((await send('updateApiKey', { path: ownersKey, body: { name: 'x' } }, caller)).status).toBe(403)
      expect((await send('rotateApiKey', { path: ownersKey, body: {} }, caller)).status).toBe(403)
      expect((await send('revokeApiKey', { path: ownersKey }, caller)).status).toBe(403)
    }
    expect(await ownersOf(environment)).toEqual([owner.id])
  })

  it('objects of another organization do not exist for any caller', { timeout: 120_000 }, async () => {
    const { home, foreign } = environment
    const callers = [await key('owner'), await key('owner'), await session('owner')]
    const before = await foreignRows(environment)
    for (const id of operationIds) {
      const { caller: _, ...input } = await validRequests[id](environment)
      for (const path of foreignPaths(id, home.ids, foreign.ids)) {
        for (const caller of callers) {
          const response = await send(id, { ...input, path }, caller)
          const expected = permissions[id].by === 'session' && caller['cookie'] === undefined ? 403 : 404
          expect([id, path, response.status, violationsOf(id, response)]).toEqual([id, path, expected, []])
        }
      }
    }
    expect(await foreignRows(environment)).toEqual(before)
  })

  it('an id of another organization matches nothing in filters and bodies', async () => {
    const { foreign, home } = environment
    const caller = await key('owner')
    const count = async (id: OperationId, query: Record<string, string>) => {
      const { status, body } = await send(id, { query }, caller)
      return status === 200 ? (JSON.parse(body) as { readonly count: number }).count : status
    }
    expect(await count('listProjects', { organization: foreign.organizationId })).toBe(0)
    expect(await count('listNodes', { project: foreign.ids.project })).toBe(0)
    expect(await count('listAuditLog', { actor_id: foreign.owner.userId })).toBe(0)
    expect(await count('listAuditLog', { object_id: foreign.ids.node })).toBe(0)
    const body = { ...((await validInput('createNode')).body as object), project: foreign.ids.project }
    expect((await send('createNode', { body }, caller)).status).toBe(400)
    for (const id of operationIds.filter(
      (operationId) => operationId.startsWith('list') || operationId === 'exportNodeUsage',
    )) {
      const path = pathOf(id, home.ids)
      const by = permissions[id].by === 'session' ? await session('owner') : caller
      const response = await send(id, { path }, by)
      expect([id, response.status, response.body.includes(foreignName)]).toEqual([id, 200, false])
    }
  })
})

const keysOfOthers: readonly string[] = ['getApiKey', 'updateApiKey', 'rotateApiKey', 'revokeApiKey']

/** A request for an object that does not exist, which changes nothing regardless of the caller. */
function absent(id: OperationId): RequestInput {
  const { pathParameters, requestBody } = routeTable[id]
  const path = Object.fromEntries(Object.keys(pathParameters).map((name) => [name, 'nothing']))
  if (id === 'changePassword') {
    return { body: { current_password: 'none at all', new_password: 'seven bells before the fog' } }
  }
  // An authorized caller receives an error about the invalid body.
  return { path, ...(requestBody !== undefined && { body: 'nothing' }) }
}

async function foreignRows({ fixture, foreign }: TestEnvironment): Promise<readonly string[]> {
  const about = [foreign.organizationId, foreign.owner.userId, ...Object.values(foreign.ids)]
  return (await allRows(fixture.store.db)).filter((row) => about.some((id) => row.includes(id)))
}

async function ownersOf({ fixture, home }: TestEnvironment): Promise<readonly string[]> {
  const rows = await fixture.store.db
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', home.organizationId)
    .where('role', '=', 'owner')
    .execute()
  return rows.map((row) => row.user_id)
}
