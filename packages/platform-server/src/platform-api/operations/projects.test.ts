import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertOrganization, insertOwner } from '../../records/organizations.ts'
import { insertProject } from '../../records/projects.ts'
import { type JsonCall, jsonCalls } from '../../testing/json-calls.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'

interface Project {
  readonly id: string
  readonly name: string
  readonly description: string
}

describe.each(backends)('one project on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  let call: JsonCall
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database)
    call = jsonCalls(fixture)
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  const createProject = async (name: string) => (await call<Project>('POST', '/v2/projects/', { name })).body
  const actions = async (id: string) => {
    const { db } = fixture.store
    const rows = await db
      .selectFrom('audit_log')
      .select(['action', 'changes'])
      .where('object_id', '=', id)
      .orderBy('created_at')
      .execute()
    return rows.map(({ action, changes }) => [action, changes])
  }

  it('is read, updated and deleted, with entries in the audit log', async () => {
    const { id } = await createProject('Harbour')
    const path = `/v2/projects/${id}/`
    const read = await call<Project>('GET', path)
    expect([read.status, read.etag, read.body.name]).toEqual([200, '"1"', 'Harbour'])
    const changed = await call<Project>('PATCH', path, { name: 'Pier', description: 'd' })
    expect([changed.status, changed.etag]).toEqual([200, '"2"'])
    expect(changed.body).toEqual({ ...read.body, name: 'Pier', description: 'd' })
    const { body: list } = await call<{ results: Project[] }>('GET', '/v2/projects/?name=Pier')
    expect(list.results).toEqual([changed.body])
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await call('GET', path)).status).toBe(404)
    expect(await actions(id)).toEqual([
      ['project.create', expect.anything()],
      [
        'project.update',
        { name: { before: 'Harbour', after: 'Pier' }, description: { before: '', after: 'd' } },
      ],
      ['project.delete', expect.objectContaining({ name: { before: 'Pier', after: null } })],
    ])
  })

  it('keeps its version when an update changes nothing', async () => {
    const { id } = await createProject('Same')
    for (const body of [{}, { name: 'Same' }]) {
      expect((await call('PATCH', `/v2/projects/${id}/`, body)).etag).toBe('"1"')
    }
    expect(await actions(id)).toHaveLength(1)
  })

  it('is not updated with an older version', async () => {
    const { id } = await createProject('Races')
    const path = `/v2/projects/${id}/`
    const tries = await Promise.all(
      Array.from({ length: 5 }, (_, at) =>
        call('PATCH', path, { name: `Racer ${at}` }, { 'if-match': '"1"' }),
      ),
    )
    const statuses = tries.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 412)).toHaveLength(4)
    expect((await call('DELETE', path, undefined, { 'if-match': '"1"' })).status).toBe(412)
    expect((await call('DELETE', path, undefined, { 'if-match': '"1", "2"' })).status).toBe(204)
  })

  it('is not deleted while it has nodes', async () => {
    const { projectId } = fixture.first
    const response = await call('DELETE', `/v2/projects/${projectId}/`)
    expect(response).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
    expect((await call('GET', `/v2/projects/${projectId}/`)).status).toBe(200)
  })

  it('of another organization is not found', async () => {
    const { db } = fixture.store
    const organizationId = await insertOrganization(db, 'Other')
    const owner = { email: 'other@example.test', firstName: 'O', lastName: 'T' }
    const creatorId = await insertOwner(db, organizationId, owner)
    const id = await insertProject(db, {
      organizationId,
      creatorId,
      name: 'P',
      description: '',
      type: 'public',
    })
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { name: 'x' }],
      ['DELETE', undefined],
    ] as const) {
      expect((await call(method, `/v2/projects/${id}/`, body)).status).toBe(404)
    }
    expect((await call('GET', `/v2/projects/${id}/limits/`)).status).toBe(404)
    expect((await call('PUT', `/v2/projects/${id}/limits/`, {})).status).toBe(404)
  })
})
