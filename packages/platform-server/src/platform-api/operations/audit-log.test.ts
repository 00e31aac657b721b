import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type AuditEntry, writeAudit } from '../../audit/write-audit.ts'
import { insertOrganization } from '../../records/organizations.ts'
import { member, rejection, signIn } from '../../testing/browser.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'
import type { Success } from '../platform-call.ts'

type Page = Success<'listAuditLog'>

describe.each(backends)('the audit log on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database)
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  const page = async (query = '') => (await fixture.call(`/v2/audit-log/${query}`)).json<Page>()
  const write = (entry: Partial<AuditEntry> = {}, organizationId = fixture.first.organizationId) => {
    const identity = { kind: 'system', id: '', label: 'test', userId: '', organizationId } as const
    const object = { kind: 'project', id: 'PR-1' }
    return writeAudit(fixture.store.db, { identity }, { action: 'project.update', object, ...entry })
  }

  it('records actor, action, target, source and request id', async () => {
    const created = await fixture.call('/v2/projects/', {
      method: 'POST',
      payload: { name: 'Harbour' },
      headers: { 'user-agent': 'Audit/1' },
      remoteAddress: '192.0.2.77',
    })
    const { id } = created.json<{ id: string }>()
    expect((await page(`?object_id=${id}`)).results).toMatchObject([
      {
        action: 'project.create',
        actor: { kind: 'key', label: fixture.first.apiKey.slice(0, 8) },
        object: { kind: 'project', id, name: 'Harbour' },
        changes: { name: { before: null, after: 'Harbour' } },
        ip: '192.0.2.77',
        user_agent: 'Audit/1',
        request_id: created.headers['x-request-id'],
      },
    ])
  })

  it('has no entry for a change that did not happen', async () => {
    const { db } = fixture.store
    const before = (await page()).count
    const failing = db.transaction().execute(async (transaction) => {
      const identity = { kind: 'system', id: '', label: 'x', userId: '', organizationId: 'RG-1' } as const
      const object = { kind: 'project', id: 'PR-1' }
      await writeAudit(transaction, { identity }, { action: 'project.delete', object })
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    await fixture.call('/v2/projects/', { method: 'POST', payload: {} })
    expect((await page()).count).toBe(before)
  })

  it('is filtered, newest first, page by page', async () => {
    await fixture.call('/v2/projects/', { method: 'POST', payload: { name: 'Filtered' } })
    for (let index = 0; index < 5; index++) {
      const object = { kind: 'node', id: `ND-${index % 2}`, name: `n${index}` }
      await write({ action: index % 2 === 0 ? 'node.create' : 'node.update', object })
      // The clock of the embedded database has a resolution of milliseconds.
      const writtenAt = Date.now()
      await vi.waitUntil(() => Date.now() > writtenAt, { interval: 1 })
    }
    const names = async (query: string) => (await page(query)).results.map(({ object }) => object.name)
    expect(await names('?object_kind=node')).toEqual(['n4', 'n3', 'n2', 'n1', 'n0'])
    expect(await names('?object_kind=node&page_size=2&page=2')).toEqual(['n2', 'n1'])
    expect(await names('?action=node.create')).toEqual(['n4', 'n2', 'n0'])
    expect(await names('?object_id=ND-1&action=')).toEqual(['n3', 'n1'])
    expect(await names('?object_id=ND-1&action=node.create')).toEqual([])
    const { results } = await page('?object_kind=project&action=project.create')
    const { actor } = results[0] ?? {}
    expect((await page(`?actor_id=${actor?.id}`)).count).toBeGreaterThan(0)
    expect((await page('?object_kind=node')).results[0]).toMatchObject({
      actor: { kind: 'system', id: null, label: 'test' },
      ip: null,
      user_agent: null,
      request_id: null,
    })
  })

  it('is filtered by dates and times', async () => {
    const at = async (time: string) => {
      await write({ action: 'limits.update', object: { kind: 'limits', id: time } })
      // Simulates an old entry; only the owner of the table can do this.
      await sql`alter table audit_log disable trigger audit_log_is_kept`.execute(fixture.store.db)
      await fixture.store.db
        .updateTable('audit_log')
        .set({ created_at: time })
        .where('object_id', '=', time)
        .execute()
      await sql`alter table audit_log enable trigger audit_log_is_kept`.execute(fixture.store.db)
    }
    await at('2026-03-09T23:59:59.999Z')
    await at('2026-03-10T00:00:00Z')
    await at('2026-03-10T12:30:00Z')
    await at('2026-03-11T00:00:00Z')
    const days = async (query: string) =>
      (await page(`?action=limits.update&${query}`)).results.map(({ created_at }) => created_at.slice(8, 16))
    expect(await days('date_from=2026-03-10&date_to=2026-03-10')).toEqual(['10T12:30', '10T00:00'])
    expect(await days('date_from=2026-03-10T12:30:00Z')).toEqual(['11T00:00', '10T12:30'])
    expect(await days('date_to=2026-03-10T00:00:00Z')).toEqual(['09T23:59'])
    for (const query of ['date_from=2026-02-30', 'date_to=2026-03-10T25:00Z', 'date_from=x']) {
      expect((await fixture.call(`/v2/audit-log/?${query}`)).statusCode).toBe(400)
    }
    const reversed = await fixture.call('/v2/audit-log/?date_from=2026-03-11&date_to=2026-03-09')
    expect(reversed.json()).toMatchObject({
      error: { fields: { date_to: ['Must not be before date_from.'] } },
    })
  })

  it('can be neither changed nor deleted', async () => {
    await write()
    const { db } = fixture.store
    for (const change of [
      () => db.updateTable('audit_log').set({ action: 'x' }).execute(),
      () => db.deleteFrom('audit_log').execute(),
      () => sql`truncate audit_log`.execute(db),
    ]) {
      await expect(change()).rejects.toThrow('the audit log is only added to')
    }
  })

  it('shows nothing of other organizations, and nothing to editors', async () => {
    const other = await insertOrganization(fixture.store.db, 'Other')
    await write({ object: { kind: 'project', id: 'PR-foreign' } }, other)
    expect(await page('?object_id=PR-foreign')).toMatchObject({ count: 0, results: [] })
    await member(fixture, 'editor@breakwater.test', 'editor')
    const editor = await signIn(fixture, 'editor@breakwater.test')
    expect(rejection(await editor.call('/v2/audit-log/'))).toEqual([403, 'permission_denied'])
  })
})
