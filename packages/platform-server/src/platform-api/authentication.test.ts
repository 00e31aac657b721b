import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { allScopes } from '../identity/scopes.ts'
import { issueApiKey, revokeApiKey } from '../records/api-keys.ts'
import { insertOrganization, insertOwner } from '../records/organizations.ts'
import { type PlatformFixture, platformFixture } from '../testing/platform-fixture.ts'
import { type TemporaryDatabase, anyDatabase } from '../testing/temporary-store.ts'
import { createUseRecorder } from './use-recorder.ts'
import { pino } from 'pino'

describe('authentication of the platform API', () => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  let creatorId: string
  beforeAll(async () => {
    database = await anyDatabase()
    fixture = await platformFixture(database)
    const user = await fixture.store.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    creatorId = user.id
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  const issue = () =>
    issueApiKey(fixture.store.db, {
      organizationId: fixture.first.organizationId,
      creatorId,
      name: 'test',
      scopes: allScopes,
      origin: 'user',
    })
  const send = (authorization: string | undefined) =>
    fixture.anonymous('/v1/organization/', { headers: authorization === undefined ? {} : { authorization } })
  const basic = Buffer.from('user:password').toString('base64')

  it('returns the organization of a valid key', async () => {
    const response = await fixture.call('/v1/organization/')
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(response.json()).toEqual({ id: fixture.first.organizationId, name: 'My organization' })
  })

  it('returns only the organization of the key', async () => {
    const { db } = fixture.store
    const organizationId = await insertOrganization(db, 'Other')
    const owner = { email: 'other@example.test', firstName: 'O', lastName: 'T' }
    const otherId = await insertOwner(db, organizationId, owner)
    const { key } = await issueApiKey(db, {
      organizationId,
      creatorId: otherId,
      name: 'k',
      scopes: allScopes,
      origin: 'user',
    })
    expect((await send(`Bearer ${key}`)).json()).toEqual({ id: organizationId, name: 'Other' })
  })

  it('accepts the scheme case-insensitively', async () => {
    expect((await send(`bearer ${fixture.first.apiKey}`)).statusCode).toBe(200)
    expect((await send(`BEARER  ${fixture.first.apiKey}`)).statusCode).toBe(200)
  })

  it.each([undefined, '', 'Bearer', 'Bearer ', `Basic ${basic}`, `Token abc`, 'Bearerabc'])(
    'responds to the header %s with not_authenticated',
    async (authorization) => {
      const response = await send(authorization)
      expect(response.statusCode).toBe(401)
      expect(response.headers['www-authenticate']).toBe('Bearer realm="platform"')
      expect(response.json()).toMatchObject({ error: { code: 'not_authenticated' } })
    },
  )

  it('accepts a key only in the header', async () => {
    const { apiKey } = fixture.first
    const response = await fixture.anonymous(`/v1/organization/?api_key=${apiKey}`, {
      headers: { 'x-api-key': apiKey, cookie: `api_key=${apiKey}` },
    })
    expect(response.statusCode).toBe(401)
  })

  it('rejects unknown, malformed, revoked and expired keys identically', async () => {
    const [prefix = '', secret = ''] = fixture.first.apiKey.split('.')
    const revoked = await issue()
    expect((await send(`Bearer ${revoked.key}`)).statusCode).toBe(200)
    await revokeApiKey(fixture.store.db, revoked.id)
    const expired = await issue()
    await fixture.store.db
      .updateTable('api_keys')
      .set({ expires_at: sql<string>`clock_timestamp() - interval '1 second'` })
      .where('id', '=', expired.id)
      .execute()
    const keys = [
      'nonsense',
      `${prefix}.${secret.slice(1)}${secret.slice(0, 1)}`,
      `${prefix.slice(1)}${prefix.slice(0, 1)}.${secret}`,
      `${fixture.first.apiKey}x`,
      `${fixture.first.apiKey} x`,
      revoked.key,
      expired.key,
      fixture.first.token,
    ]
    const responses = await Promise.all(keys.map((key) => send(`Bearer ${key}`)))
    for (const response of responses) {
      expect(response.statusCode).toBe(401)
      expect(response.headers['www-authenticate']).toBe('Bearer realm="platform", error="invalid_token"')
      const { error } = response.json<{ error: object }>()
      expect({ ...error, request_id: '' }).toEqual({
        code: 'authentication_failed',
        message: 'Invalid credentials.',
        request_id: '',
      })
    }
  })

  it('accepts a key that expires later', async () => {
    const { id, key } = await issue()
    const later = sql<string>`clock_timestamp() + interval '1 hour'`
    await fixture.store.db.updateTable('api_keys').set({ expires_at: later }).where('id', '=', id).execute()
    expect((await send(`Bearer ${key}`)).statusCode).toBe(200)
  })

  it('records when a key was last used, to the minute', async () => {
    const { id, key } = await issue()
    const lastUsed = async () => {
      const { rows } = await sql<{ text: string | null }>`
        select to_char(last_used_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as text
        from api_keys where id = ${id}`.execute(fixture.store.db)
      return rows[0]?.text
    }
    expect(await lastUsed()).toBeNull()
    await send(`Bearer ${key}`)
    await vi.waitFor(
      async () => expect(await lastUsed()).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:00\.000000$/),
      20_000,
    )
  })

  it('writes the last use once a minute, and retries after a failure', async () => {
    // The fixture's platform API records the use of other keys through the shared instance.
    const db = fixture.store.db.withoutPlugins()
    const updates = vi.spyOn(db, 'updateTable')
    let minute = 0
    const recorder = createUseRecorder(db, pino({ enabled: false }), () => minute * 60_000)
    const { id, key } = await issue()
    const identity = { kind: 'key', id, label: key.slice(0, 8) } as const
    const use = { identity, ip: '192.0.2.1' }
    for (let time = 0; time < 5; time++) recorder.record(use)
    await recorder.settled()
    expect(updates).toHaveBeenCalledTimes(2)
    minute = 1
    updates.mockImplementationOnce(() => {
      throw new Error('away')
    })
    recorder.record(use)
    await recorder.settled()
    recorder.record(use)
    await recorder.settled()
    expect(updates).toHaveBeenCalledTimes(5)
  })
})
