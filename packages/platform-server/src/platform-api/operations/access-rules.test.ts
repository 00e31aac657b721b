import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { maxRules } from '../../records/access-rules.ts'
import { loadNodeCredentials } from '../../store/load-node-credentials.ts'
import { type JsonCall, jsonCalls, nodePath } from '../../testing/json-calls.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'

interface Rule {
  readonly id: string
  readonly value: string
}

describe.each(backends)('access rules of nodes on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  let call: JsonCall
  let nodeId: string
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database)
    call = jsonCalls(fixture)
    nodeId = fixture.first.nodeId
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  const at = (...rest: string[]) => nodePath(nodeId, 'access-rules', ...rest)
  const activeRules = async () => {
    const { db, encryptor } = fixture.store
    return (await loadNodeCredentials(db, encryptor))[0]?.grant.accessRules
  }

  it('are created, updated and deleted', async () => {
    const range = { kind: 'ip', value: '192.0.2.0/24', action: 'allow' }
    const { status, etag, body: rule } = await call<Rule>('POST', at(), range)
    expect([status, etag]).toEqual([201, '"1"'])
    expect(rule).toMatchObject({ ...range, active: true, id: expect.stringMatching(/^AR-/) })
    expect(await activeRules()).toEqual([range])
    expect((await call('GET', at(rule.id))).body).toEqual(rule)
    expect((await call('POST', at(), { ...range, action: 'deny' })).status).toBe(409)
    const { body: other } = await call<Rule>('POST', at(), { ...range, value: '::1' })
    expect((await call('PATCH', at(other.id), { value: range.value })).status).toBe(409)
    const changed = await call('PATCH', at(rule.id), { active: false }, { 'if-match': etag ?? '' })
    expect(changed).toMatchObject({ status: 200, etag: '"2"', body: { ...rule, active: false } })
    expect(await activeRules()).toEqual([{ ...range, value: '::1' }])
    expect((await call('PATCH', at(rule.id), { active: true }, { 'if-match': '"1"' })).status).toBe(412)
    expect((await call('DELETE', at(rule.id), undefined, { 'if-match': '"1"' })).status).toBe(412)
    const { body: list } = await call<{ results: Rule[] }>('GET', at())
    expect(list.results.map(({ id }) => id)).toEqual([rule.id, other.id])
    for (const { id } of [rule, other]) expect((await call('DELETE', at(id))).status).toBe(204)
    expect((await call('GET', at(rule.id))).status).toBe(404)
    const actions = await fixture.store.db
      .selectFrom('audit_log')
      .select('action')
      .where('object_id', '=', rule.id)
      .orderBy('created_at')
      .execute()
    expect(actions.map(({ action }) => action)).toEqual([
      'access_rule.create',
      'access_rule.update',
      'access_rule.delete',
    ])
  })

  it.each([
    ['origin', 'HTTPS://App.Example/', 'https://app.example'],
    ['origin', '*.app.example', '*.app.example'],
    ['origin', 'http://[::1]:3000', 'http://[::1]:3000'],
    ['ip', '10.0.0.0/8', '10.0.0.0/8'],
    ['ip', '2001:db8::1', '2001:db8::1'],
    ['method', 'debug_*', 'debug_*'],
    ['method', '/geyser.Geyser/Subscribe', '/geyser.Geyser/Subscribe'],
  ])('accept %s %s', async (kind, value, stored) => {
    const { status, body } = await call<Rule>('POST', at(), { kind, value, action: 'deny' })
    expect([status, body.value]).toEqual([201, stored])
    await call('DELETE', at(body.id))
  })

  it.each([
    ['origin', 'https://c4n4ry/path'],
    ['origin', 'a.*.c4n4ry'],
    ['origin', ''],
    ['ip', 'c4n4ry'],
    ['ip', '10.0.0.0/33'],
    ['ip', '10.0.0.0/'],
    ['method', 'c4n4ry eth'],
    ['method', '*_c4n4ry'],
    ['address', 'c4n4ry'],
  ])('reject %s %j', async (kind, value) => {
    const response = await call('POST', at(), { kind, value, action: 'deny' })
    expect(response).toMatchObject({ status: 400, body: { error: { code: 'invalid' } } })
    expect(JSON.stringify(response.body)).not.toContain('c4n4ry')
  })

  it('are limited to 100 of a kind, also under concurrent requests', async () => {
    const { db } = fixture.store
    onTestFinished(async () => void (await db.deleteFrom('access_rules').execute()))
    await sql`
      insert into access_rules (id, node_id, kind, value, action)
      select 'AR-' || n, ${nodeId}::text, 'origin', 'a' || n, 'allow'
      from generate_series(1, cast(${maxRules - 2} as integer)) n`.execute(fixture.store.db)
    const tries = await Promise.all(
      ['b', 'c', 'd', 'e'].map((value) => call('POST', at(), { kind: 'origin', value, action: 'allow' })),
    )
    expect(tries.filter(({ status }) => status === 201)).toHaveLength(2)
    expect(tries.filter(({ status }) => status === 409)).toHaveLength(2)
    const method = { kind: 'method', value: 'eth_call', action: 'allow' }
    expect((await call('POST', at(), method)).status).toBe(201)
  })

  it('belong to a node', async () => {
    expect((await call('GET', nodePath('ND-000-000-000', 'access-rules'))).status).toBe(404)
    expect((await call('GET', at('AR-000-000-000'))).status).toBe(404)
  })
})
