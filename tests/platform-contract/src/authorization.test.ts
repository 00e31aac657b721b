import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Role } from '@fairlead/platform-server/identity/role'
import { allScopes, type Scope } from '@fairlead/platform-server/identity/scopes'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { setPassword } from '@fairlead/platform-server/records/users'
import { allRows } from '@fairlead/platform-server/testing/all-rows'
import { backends, type TemporaryDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { complaintsOf, operationIds, routeTable } from './contract-violations.ts'
import { type Caller, keyOf, nobody, sessionOf } from './caller.ts'
import { goodRequests } from './valid-requests.ts'
import { foreignPaths, pathOf } from './object-kinds.ts'
import type { Given } from './request-input.ts'
import { foreignName, startWorld, type World } from './test-environment.ts'
import { whoMay } from './permissions.ts'

const roles: readonly Role[] = ['owner', 'admin', 'editor', 'viewer']

describe.each(backends)('who may do what, on $name', ({ create }) => {
  let database: TemporaryDatabase
  let world: World
  const people = new Map<Role, string>()
  beforeAll(async () => {
    database = await create()
    world = await startWorld(database)
    people.set('owner', world.home.owner.userId)
    for (const role of ['admin', 'editor', 'viewer'] as const) people.set(role, await world.home.member(role))
  })
  afterAll(async () => {
    await world.close()
    await database.remove()
  })

  const person = (role: Role) => ({
    organizationId: world.home.organizationId,
    userId: people.get(role) ?? '',
  })
  const session = (role: Role) => sessionOf(world.fixture.store, person(role))
  const key = (role: Role, scopes?: readonly Scope[]) => keyOf(world.fixture.store, person(role), scopes)
  const { send, good } = {
    send: (id: OperationId, given: Given, caller: Caller) => world.send(id, given, caller),
    good: async (id: OperationId): Promise<Given> => {
      const { caller: _, ...given } = await goodRequests[id](world)
      return given
    },
  }

  describe.each(roles)('a session of a member of the role %s', (role) => {
    it.each(operationIds)('%s', async (id) => {
      const caller = await session(role)
      const may = whoMay[id].roles.includes(role.charAt(0))
      const answer = await send(
        id,
        { ...(await good(id)), ...(may && (await ownObject(id, caller))) },
        caller,
      )
      expect([answer.status, complaintsOf(id, answer)]).toEqual([
        may ? expect.toSatisfy((status: number) => status < 400) : 403,
        [],
      ])
    })
  })

  /** The content of a request that any caller may send for their own object. */
  async function ownObject(id: OperationId, caller: Caller): Promise<Given> {
    if (keysOfOthers.includes(id)) return { path: { id: await idOfNewKey(['org:read'], caller) } }
    const { body } = await send('getSession', {}, caller)
    if (id === 'revokeSession') return { path: { id: (JSON.parse(body) as { readonly id: string }).id } }
    if (id !== 'changePassword') return {}
    const { user } = JSON.parse(body) as { readonly user: { readonly id: string } }
    const hash = world.passwordHash
    await setPassword(world.fixture.store.db, user.id, { hash, origin: 'user', mustChange: false })
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
      const expected = operationIds.filter((id) => [scope, 'public'].includes(whoMay[id].by))
      expect(allowed).toEqual(expected)
    },
  )

  it('nobody else gets any further', async () => {
    const { db } = world.fixture.store
    const disabled = { organizationId: world.home.organizationId, userId: await world.home.member('admin') }
    const removed = { organizationId: world.home.organizationId, userId: await world.home.member('admin') }
    const callers: Readonly<Record<string, Caller>> = {
      nobody,
      'a key of a disabled member': await keyOf(world.fixture.store, disabled),
      'a session of a disabled member': await sessionOf(world.fixture.store, disabled),
      'a key of a former member': await keyOf(world.fixture.store, removed),
      'a session of a former member': await sessionOf(world.fixture.store, removed),
      'an expired key': await endedKey('expires_at'),
      'a revoked key': await endedKey('revoked_at'),
      'a session that has ended': await endedSession(),
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
          id === 'createSession' || (whoMay[id].by === 'public' ? !isRefused : status === 401)
        expect([name, id, isExpected]).toEqual([name, id, true])
      }
    }

    async function endedKey(column: 'expires_at' | 'revoked_at'): Promise<Caller> {
      const caller = await key('owner')
      const prefix = caller.authorization.slice('Bearer '.length).split('.')[0] ?? ''
      await sql`update api_keys set ${sql.ref(column)} = clock_timestamp() - interval '1 second' where id =
        (select key_id from api_key_secrets where prefix = ${prefix})`.execute(db)
      return caller
    }

    async function endedSession(): Promise<Caller> {
      const caller = await session('viewer')
      const ended = sql<string>`clock_timestamp() - interval '1 second'`
      await db
        .updateTable('sessions')
        .set({ expires_at: ended })
        .where('user_id', '=', person('viewer').userId)
        .execute()
      return caller
    }
  })

  it('a key loses what the role of its maker loses', async () => {
    const userId = await world.home.member('admin')
    const caller = await keyOf(world.fixture.store, { organizationId: world.home.organizationId, userId })
    expect((await send('listAuditLog', {}, caller)).status).toBe(200)
    const owner = await session('owner')
    await send('updateMember', { path: { id: userId }, body: { role: 'viewer' } }, owner)
    expect((await send('listAuditLog', {}, caller)).status).toBe(403)
    expect((await send('createProject', { body: { name: 'x' } }, caller)).status).toBe(403)
    expect((await send('listProjects', {}, caller)).status).toBe(200)
  })

  it('nobody makes a key that may do more than its maker', async () => {
    const outcomes = async (caller: Caller) => {
      const made: Scope[] = []
      for (const scope of allScopes) {
        const { status } = await send('createApiKey', { body: { name: 'k', scopes: [scope] } }, caller)
        expect([201, 403]).toContain(status)
        if (status === 201) made.push(scope)
      }
      return made
    }
    const ofEditor = allScopes.filter(
      (scope) =>
        !['org:write', 'members:write', 'audit:read'].includes(scope) && !scope.startsWith('webhooks'),
    )
    expect(await outcomes(await session('owner'))).toEqual(allScopes)
    expect(await outcomes(await session('editor'))).toEqual(ofEditor)
    expect(await outcomes(await key('owner', ['keys:write', 'org:read']))).toEqual(['org:read', 'keys:write'])
    expect(await outcomes(await key('viewer'))).toEqual([])
    // Neither by changing a key nor by rotating its secret.
    const limited = await key('owner', ['keys:write'])
    const path = { id: await idOfNewKey(['org:read']) }
    const widened = await send('updateApiKey', { path, body: { scopes: ['org:read', 'org:write'] } }, limited)
    expect(widened.status).toBe(403)
    expect((await send('rotateApiKey', { path, body: {} }, limited)).status).toBe(403)
  })

  async function idOfNewKey(scopes: readonly Scope[], caller?: Caller): Promise<string> {
    const answer = await send(
      'createApiKey',
      { body: { name: 'k', scopes } },
      caller ?? (await session('owner')),
    )
    return (JSON.parse(answer.body) as { readonly id: string }).id
  }

  it('an editor sees and changes keys of his own only', async () => {
    const editor = await session('editor')
    const own = await idOfNewKey(['org:read'], editor)
    const others = await idOfNewKey(['org:read'])
    const list = await send('listApiKeys', {}, editor)
    const { results } = JSON.parse(list.body) as {
      readonly results: readonly { readonly id: string; readonly creator: { readonly id: string } }[]
    }
    expect(new Set(results.map(({ creator }) => creator.id))).toEqual(new Set([person('editor').userId]))
    expect(results.map(({ id }) => id)).toContain(own)
    const bodies = {
      updateApiKey: { name: 'x' },
      rotateApiKey: {},
      getApiKey: undefined,
      revokeApiKey: undefined,
    }
    for (const [id, body] of Object.entries(bodies) as [keyof typeof bodies, unknown][]) {
      const given = (of: string) => ({ path: { id: of }, ...(body !== undefined && { body }) })
      expect([id, (await send(id, given(others), editor)).status]).toEqual([id, 404])
      expect([id, (await send(id, given(own), editor)).status < 300]).toEqual([id, true])
    }
  })

  it('an admin cannot touch the owner, nor become one', async () => {
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
    expect(await ownersOf(world)).toEqual([owner.id])
  })

  it('objects of another organization are not there, for nobody', { timeout: 120_000 }, async () => {
    const { home, foreign } = world
    const callers = [await key('owner'), await key('owner'), await session('owner')]
    const before = await foreignRows(world)
    for (const id of operationIds) {
      const { caller: _, ...given } = await goodRequests[id](world)
      for (const path of foreignPaths(id, home.ids, foreign.ids)) {
        for (const caller of callers) {
          const answer = await send(id, { ...given, path }, caller)
          const expected = whoMay[id].by === 'session' && caller['cookie'] === undefined ? 403 : 404
          expect([id, path, answer.status, complaintsOf(id, answer)]).toEqual([id, path, expected, []])
        }
      }
    }
    expect(await foreignRows(world)).toEqual(before)
  })

  it('an id of another organization finds nothing in filters and bodies either', async () => {
    const { foreign, home } = world
    const caller = await key('owner')
    const count = async (id: OperationId, query: Record<string, string>) => {
      const { status, body } = await send(id, { query }, caller)
      return status === 200 ? (JSON.parse(body) as { readonly count: number }).count : status
    }
    expect(await count('listProjects', { organization: foreign.organizationId })).toBe(0)
    expect(await count('listNodes', { project: foreign.ids.project })).toBe(0)
    expect(await count('listAuditLog', { actor_id: foreign.owner.userId })).toBe(0)
    expect(await count('listAuditLog', { object_id: foreign.ids.node })).toBe(0)
    const body = { ...((await good('createNode')).body as object), project: foreign.ids.project }
    expect((await send('createNode', { body }, caller)).status).toBe(400)
    for (const id of operationIds.filter((one) => one.startsWith('list') || one === 'exportNodeUsage')) {
      const path = pathOf(id, home.ids)
      const by = whoMay[id].by === 'session' ? await session('owner') : caller
      const answer = await send(id, { path }, by)
      expect([id, answer.status, answer.body.includes(foreignName)]).toEqual([id, 200, false])
    }
  })
})

const keysOfOthers: readonly string[] = ['getApiKey', 'updateApiKey', 'rotateApiKey', 'revokeApiKey']

/** A request for an object that does not exist, which changes nothing regardless of the caller. */
function absent(id: OperationId): Given {
  const { pathParameters, requestBody } = routeTable[id]
  const path = Object.fromEntries(Object.keys(pathParameters).map((name) => [name, 'nothing']))
  if (id === 'changePassword') {
    return { body: { current_password: 'none at all', new_password: 'seven bells before the fog' } }
  }
  // An authorized caller receives an error about the invalid body.
  return { path, ...(requestBody !== undefined && { body: 'nothing' }) }
}

async function foreignRows({ fixture, foreign }: World): Promise<readonly string[]> {
  const about = [foreign.organizationId, foreign.owner.userId, ...Object.values(foreign.ids)]
  return (await allRows(fixture.store.db)).filter((row) => about.some((id) => row.includes(id)))
}

async function ownersOf({ fixture, home }: World): Promise<readonly string[]> {
  const rows = await fixture.store.db
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', home.organizationId)
    .where('role', '=', 'owner')
    .execute()
  return rows.map((row) => row.user_id)
}
