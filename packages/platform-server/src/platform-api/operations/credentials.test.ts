import { pino } from 'pino'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { writeCredentialUses } from '../../records/credential-uses.ts'
import { issueNodeCredential } from '../../records/node-credentials.ts'
import { loadNodeCredentials } from '../../store/load-node-credentials.ts'
import { type JsonCall, jsonCalls, nodePath } from '../../testing/json-calls.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { describeInOrder } from '../../testing/describe-in-order.ts'
import type { TemporaryDatabase } from '../../testing/temporary-store.ts'
import { createPlatformApi } from '../create-platform-api.ts'
import { protocols } from '../../testing/protocols.ts'

interface Credential {
  readonly id: string
  readonly kind: string
  readonly label: string
  readonly username: string | null
  readonly hint: string
  readonly state: string
  readonly can_reveal: boolean
  readonly expires_at: string | null
  readonly replaced_by: string | null
  readonly token?: string
  readonly password?: string
}

describeInOrder('credentials of nodes', (create) => {
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

  const at = (...rest: string[]) => nodePath(nodeId, 'credentials', ...rest)
  const createCredential = async (body: object) => (await call<Credential>('POST', at(), body)).body
  const isValid = async (secret: string) => {
    const { db, encryptor } = fixture.store
    return (await loadNodeCredentials(db, encryptor)).find(({ sha256 }) => sha256 === sha256Hex(secret))
      ?.grant
  }

  it('are created, returned without their secrets, and revealed', async () => {
    const token = await createCredential({
      kind: 'token',
      label: 'Backend',
      expires_at: '2099-01-01T00:00:00+01:00',
    })
    const basic = await createCredential({ kind: 'basic' })
    expect(token).toMatchObject({
      label: 'Backend',
      username: null,
      hint: token.token?.slice(-4),
      state: 'active',
      can_reveal: true,
      expires_at: '2098-12-31T23:00:00.000000Z',
    })
    expect(basic).toMatchObject({ label: '', hint: basic.password?.slice(-4), expires_at: null })
    expect(await isValid(token.token ?? '')).toMatchObject({ kind: 'token', nodeId })
    expect(await isValid(`${basic.username}:${basic.password}`)).toMatchObject({ kind: 'basic' })
    const { body: list } = await call<{ count: number; results: Credential[] }>('GET', at())
    expect(list.count).toBe(4)
    expect(list.results.slice(0, 2).map(({ id }) => id)).toEqual([basic.id, token.id])
    const { token: _, ...shown } = token
    const read = await call<Credential>('GET', at(token.id))
    expect([read.etag, read.body]).toEqual(['"1"', shown])
    const responses = JSON.stringify([list, read.body, fixture.log()])
    for (const secret of [token.token ?? '', basic.password ?? '']) expect(responses).not.toContain(secret)
    expect((await call('POST', at(token.id, 'reveal'))).body).toEqual({ token: token.token })
    const { username, password } = basic
    expect((await call('POST', at(basic.id, 'reveal'))).body).toEqual({ username, password })
    const revealed = await fixture.store.db
      .selectFrom('audit_log')
      .select('object_id')
      .where('action', '=', 'credential.reveal')
      .execute()
    expect(revealed.map(({ object_id }) => object_id).toSorted()).toEqual([basic.id, token.id].toSorted())
  })

  it('are stored in no table in plain text', async () => {
    const { token = '' } = await createCredential({ kind: 'token' })
    const { password = '' } = await createCredential({ kind: 'basic' })
    const { db } = fixture.store
    const rows = [
      await db.selectFrom('node_credentials').selectAll().execute(),
      await db.selectFrom('audit_log').selectAll().execute(),
    ]
    for (const secret of [token, password]) expect(JSON.stringify(rows)).not.toContain(secret)
  })

  it('cannot be revealed when only the hash is stored', async () => {
    const { db } = fixture.store
    const { id } = await issueNodeCredential(db, { nodeId, kind: 'token', origin: 'user' })
    expect((await call<Credential>('GET', at(id))).body.can_reveal).toBe(false)
    expect((await call('POST', at(id, 'reveal'))).status).toBe(409)

    const encrypted = await createCredential({ kind: 'token' })
    const app = await createPlatformApi({
      store: fixture.store,
      protocols,
      log: pino({ level: 'silent' }),
      nodes: { revealCredentials: false },
    })
    onTestFinished(() => app.close())
    const headers = { authorization: `Bearer ${fixture.first.apiKey}` }
    const revealed = await app.inject({ method: 'POST', url: at(encrypted.id, 'reveal'), headers })
    expect(revealed.statusCode).toBe(409)
    const issued = await app.inject({ method: 'POST', url: at(), headers, payload: { kind: 'token' } })
    expect(issued.json()).toMatchObject({ can_reveal: false, token: expect.any(String) })
    const row = await db
      .selectFrom('node_credentials')
      .select('secret')
      .where('id', '=', issued.json<Credential>().id)
      .executeTakeFirst()
    expect(row).toEqual({ secret: null })
  })

  it('can change their label and expiry', async () => {
    const { id } = await createCredential({ kind: 'token' })
    const changed = await call<Credential>('PATCH', at(id), {
      label: 'New',
      expires_at: '2099-01-01T00:00:00Z',
    })
    expect(changed).toMatchObject({
      etag: '"2"',
      body: { label: 'New', expires_at: '2099-01-01T00:00:00.000000Z' },
    })
    const permanent = await call<Credential>('PATCH', at(id), { expires_at: null }, { 'if-match': '"2"' })
    expect(permanent).toMatchObject({ etag: '"3"', body: { label: 'New', expires_at: null } })
    expect((await call('PATCH', at(id), { label: 'x' }, { 'if-match': '"2"' })).status).toBe(412)
    for (const end of ['2001-01-01T00:00:00Z', 'tomorrow', '']) {
      const rejected = await call('PATCH', at(id), { expires_at: end })
      expect(rejected).toMatchObject({
        status: 400,
        body: { error: { fields: { expires_at: [expect.any(String)] } } },
      })
    }
  })

  it('are revoked permanently', async () => {
    const { id, token = '' } = await createCredential({ kind: 'token' })
    expect((await call('DELETE', at(id), undefined, { 'if-match': '"7"' })).status).toBe(412)
    expect((await call('DELETE', at(id))).status).toBe(204)
    expect(await isValid(token)).toBeUndefined()
    expect((await call('DELETE', at(id))).status).toBe(204)
    expect((await call<Credential>('GET', at(id))).body).toMatchObject({
      state: 'revoked',
      can_reveal: false,
    })
    for (const [method, rest, body] of [
      ['PATCH', [], { label: 'x' }],
      ['POST', ['reveal'], undefined],
      ['POST', ['rotate'], {}],
    ] as const) {
      expect((await call(method, at(id, ...rest), body)).status).toBe(409)
    }
  })

  it('are rotated with an overlap and with their limits', async () => {
    const { id } = await createCredential({ kind: 'token', label: 'Backend' })
    await call('PUT', at(id, 'limits'), { max_batch_items: 7 })
    const { status, body: next } = await call<Credential>('POST', at(id, 'rotate'), { overlap_seconds: 60 })
    expect([status, next.label, next.id === id]).toEqual([201, 'Backend', false])
    expect((await isValid(next.token ?? ''))?.limits?.credential).toEqual({ maxBatchItems: 7 })
    const { body: old } = await call<Credential>('GET', at(id))
    expect(old).toMatchObject({ state: 'active', replaced_by: next.id })
    const remainingMs = Date.parse(old.expires_at ?? '') - Date.now()
    expect(remainingMs).toBeGreaterThan(0)
    expect(remainingMs).toBeLessThanOrEqual(60_000)
    expect((await call('POST', at(id, 'rotate'), {})).status).toBe(409)

    const { body: last } = await call<Credential>('POST', at(next.id, 'rotate'), { overlap_seconds: 0 })
    expect(await isValid(next.token ?? '')).toBeUndefined()
    expect(await isValid(last.token ?? '')).toBeDefined()
    expect((await call<Credential>('GET', at(next.id))).body.state).toBe('revoked')
    expect((await call('POST', at(last.id, 'rotate'), { overlap_seconds: 86_401 })).status).toBe(400)
  })

  it('report when they were last used', async () => {
    const { db } = fixture.store
    const { id } = await createCredential({ kind: 'token' })
    const used = (usedAt: number, address: string) =>
      writeCredentialUses(db, [
        { credentialId: id, usedAt, address, addresses: [address] },
        { credentialId: 'CR-deleted', usedAt, address, addresses: [address] },
      ])
    const later = Date.UTC(2026, 2, 9, 14, 26, 53)
    await used(later, '2001:db8::7')
    await used(later - 120_000, '192.0.2.1')
    expect((await call('GET', at(id))).body).toMatchObject({
      last_used_at: '2026-03-09T14:26:00.000000Z',
      last_used_ip: '2001:db8::7',
    })
  })

  it('belong to one node, and have a kind that the node supports', async () => {
    const { id } = await createCredential({ kind: 'token' })
    const otherNode = nodePath('ND-000-000-000', 'credentials', id)
    expect((await call('GET', otherNode)).status).toBe(404)
    expect((await call('GET', at('CR-000-000-000'))).status).toBe(404)
    const rejected = await call('POST', at(), { kind: 'x-token' })
    expect(rejected).toMatchObject({
      status: 400,
      body: { error: { fields: { kind: [expect.any(String)] } } },
    })
  })
})
