import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertNode } from '../../records/nodes.ts'
import { insertMember, insertOrganization, insertOwner } from '../../records/organizations.ts'
import { insertProject } from '../../records/projects.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'

interface Page {
  count: number
  next: string | null
  previous: string | null
  results: {
    id: string
    name: string
    created_at: string
    members: number
    networks: number
    creator: object
  }[]
}

function at(fraction: string): string {
  return `2026-01-02T03:04:05.${fraction}Z`
}

describe.each(backends)('GET /v2/projects/ on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  let creatorId: string
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database, { publicUrl: 'https://api.example.test/' })
    const user = await fixture.store.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    creatorId = user.id
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  async function page(query = ''): Promise<Page> {
    const response = await fixture.call(`/v2/projects/${query}`)
    expect(response.statusCode).toBe(200)
    return response.json<Page>()
  }

  const names = async (query: string) => (await page(query)).results.map((project) => project.name)
  const ids = async (query: string) => (await page(query)).results.map((project) => project.id)
  const count = async (query: string) => (await page(query)).count

  async function projects(rows: readonly { name: string; createdAt?: string }[]): Promise<string[]> {
    const { store, first } = fixture
    await store.db.deleteFrom('nodes').execute()
    await store.db.deleteFrom('projects').execute()
    const created: string[] = []
    for (const { name, createdAt } of rows) {
      const { organizationId } = first
      const id = await insertProject(store.db, {
        organizationId,
        creatorId,
        name,
        description: '',
        type: 'public',
      })
      if (createdAt !== undefined) {
        await store.db.updateTable('projects').set({ created_at: createdAt }).where('id', '=', id).execute()
      }
      created.push(id)
    }
    return created
  }

  it('returns every field of a project', async () => {
    const [id] = await projects([{ name: 'Harbour', createdAt: '2026-03-09T14:26:53.589793Z' }])
    const { organizationId } = fixture.first
    const network = { projectId: id ?? '', name: 'n', protocols: ['evm'], upstreams: {} }
    await insertNode(fixture.store.db, fixture.store.encryptor, { ...network, chain: 'evm', network: 'one' })
    await insertNode(fixture.store.db, fixture.store.encryptor, { ...network, chain: 'evm', network: 'one' })
    await insertNode(fixture.store.db, fixture.store.encryptor, { ...network, chain: 'evm', network: 'two' })
    await insertNode(fixture.store.db, fixture.store.encryptor, {
      ...network,
      chain: 'jetton',
      network: 'two',
    })
    expect(await page()).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [
        {
          id,
          name: 'Harbour',
          description: '',
          type: 'public',
          members: 1,
          networks: 3,
          creator: {
            id: creatorId,
            email: 'owner@fairlead.invalid',
            first_name: 'First',
            last_name: 'Owner',
            organization: { id: organizationId, name: 'My organization' },
          },
          created_at: '2026-03-09T14:26:53.589793Z',
        },
      ],
    })
  })

  it('counts the members who can see the project, not the disabled ones', async () => {
    await projects([{ name: 'a' }])
    const { db } = fixture.store
    const user = { email: 'second@example.test', firstName: 'S', lastName: 'E' }
    const { organizationId } = fixture.first
    const userId = await insertMember(db, { organizationId, role: 'viewer', user })
    expect((await page()).results[0]?.members).toBe(2)
    await db
      .updateTable('users')
      .set({ disabled_at: '2026-01-01T00:00:00Z' })
      .where('id', '=', userId)
      .execute()
    expect((await page()).results[0]?.members).toBe(1)
  })

  it('formats created_at with six fractional digits, including zeros', async () => {
    const times = [
      '2026-01-02T03:04:05.000000Z',
      '2026-01-02T03:04:05.100000Z',
      '2026-01-02T03:04:05.000001Z',
    ]
    await projects(times.map((createdAt, index) => ({ name: `${index}`, createdAt })))
    const { results } = await page('?order_by=name')
    expect(results.map((project) => project.created_at)).toEqual(times)
  })

  it('orders by time, latest first by default, and equal times by id', async () => {
    const [b = '', a = '', ...ties] = await projects([
      { name: 'b', createdAt: at('000002') },
      { name: 'a', createdAt: at('000003') },
      { name: 'c', createdAt: at('000001') },
      { name: 'd', createdAt: at('000001') },
    ])
    const ascending = [...ties.toSorted(), b, a]
    expect(await ids('?order_by=created_at')).toEqual(ascending)
    expect(await ids('?order_by=-created_at')).toEqual(ascending.toReversed())
    expect(await ids('')).toEqual(ascending.toReversed())
    expect(await ids('?order_by=')).toEqual(ascending.toReversed())
  })

  it('orders names without regard to case, then by code point, whatever the locale of the database', async () => {
    const sorted = [
      '10',
      '9',
      'A',
      'a',
      'a-b',
      'Ab',
      'aC',
      'B',
      'b',
      'z',
      'Ä',
      'ä',
      'É',
      'я',
      '\u{FFFD}',
      '😀',
    ]
    await projects(sorted.toReversed().map((name) => ({ name })))
    expect(await names('?order_by=name')).toEqual(sorted)
    expect(await names('?order_by=-name')).toEqual(sorted.toReversed())
  })

  it('orders equal names by id', async () => {
    const created = await projects(Array.from({ length: 6 }, () => ({ name: 'same' })))
    expect(await ids('?order_by=name')).toEqual(created.toSorted())
  })

  it('filters by exact name, organization and type', async () => {
    await projects([{ name: 'Harbour' }, { name: 'harbour' }, { name: 'Harbour ' }])
    expect(await count('?name=Harbour')).toBe(1)
    expect(await count('?name=Harbour%20')).toBe(1)
    expect(await count('?name=Harbour+')).toBe(1)
    expect(await count('?name=%25')).toBe(0)
    expect(await count(`?organization=${fixture.first.organizationId}`)).toBe(3)
    expect(await count('?type=public&name=harbour')).toBe(1)
  })

  it('treats an empty filter as unset, uses the last of several values, and ignores unknown parameters', async () => {
    await projects([{ name: 'a' }, { name: 'b' }])
    expect((await names('?name=&type=&organization=')).toSorted()).toEqual(['a', 'b'])
    expect(await names('?name=a&name=b')).toEqual(['b'])
    expect((await names('?name=a&name=')).toSorted()).toEqual(['a', 'b'])
    expect((await names('?colour=red&__proto__=x&constructor=y')).toSorted()).toEqual(['a', 'b'])
  })

  it('returns an empty list for another organization, existing or not', async () => {
    const { db } = fixture.store
    const foreign = await insertOrganization(db, 'Foreign')
    const owner = { email: 'foreign@example.test', firstName: 'F', lastName: 'O' }
    const userId = await insertOwner(db, foreign, owner)
    const foreignProject = { organizationId: foreign, creatorId: userId, name: 'Theirs', description: '' }
    await insertProject(db, { ...foreignProject, type: 'public' })
    for (const id of [foreign, 'RG-000-000-000', 'nonsense']) {
      expect(await page(`?organization=${id}`)).toEqual({ count: 0, next: null, previous: null, results: [] })
    }
    expect((await page('?name=Theirs')).count).toBe(0)
  })

  it('pages by 100, with links that keep the filters, sorted, and leave page 1 out', async () => {
    await fixture.store.db.deleteFrom('nodes').execute()
    await fixture.store.db.deleteFrom('projects').execute()
    await sql`
      insert into projects (id, organization_id, creator_id, name, name_folded, type)
      select 'PR-' || n, ${fixture.first.organizationId}::text, ${creatorId}::text, to_char(n, 'FM000'), to_char(n, 'FM000'), 'public'
      from generate_series(1, 250) as n`.execute(fixture.store.db)
    const base = 'https://api.example.test/v2/projects/'
    const one = await page('?type=public&order_by=name&unknown=1')
    const two = await page('?page=2&type=public&order_by=name')
    const three = await page('?page=3&order_by=name')
    expect([one, two, three].map(({ count: total, results }) => [total, results.length])).toEqual([
      [250, 100],
      [250, 100],
      [250, 50],
    ])
    const listed = [one, two, three].flatMap(({ results }) => results.map((project) => project.name))
    expect(listed).toEqual(Array.from({ length: 250 }, (_, index) => String(index + 1).padStart(3, '0')))
    expect([one.previous, one.next]).toEqual([null, `${base}?order_by=name&page=2&type=public`])
    expect([two.previous, two.next]).toEqual([
      `${base}?order_by=name&type=public`,
      `${base}?order_by=name&page=3&type=public`,
    ])
    expect([three.previous, three.next]).toEqual([`${base}?order_by=name&page=2`, null])
    expect((await page('?page=2')).previous).toBe(base)
  })

  it.each([
    '0',
    '-1',
    'abc',
    '',
    '999',
    '1.5',
    '1e0',
    '+1',
    '%201',
    '01',
    'last',
    '9007199254740993',
    '9'.repeat(400),
  ])('responds to page %s with 404', async (number) => {
    const response = await fixture.call(`/v2/projects/?page=${number}`)
    expect(response.statusCode).toBe(404)
    expect(response.json()).toMatchObject({ error: { code: 'not_found', message: 'Invalid page.' } })
  })

  it('responds to page 1 of an empty list with an empty page, and to page 2 with 404', async () => {
    expect(await page('?name=unknown&page=1')).toEqual({ count: 0, next: null, previous: null, results: [] })
    expect((await fixture.call('/v2/projects/?name=unknown&page=2')).statusCode).toBe(404)
    expect((await fixture.call('/v2/projects/?organization=RG-1&page=2')).statusCode).toBe(404)
  })

  it('rejects invalid parameter values with the rule but without the value', async () => {
    const response = await fixture.call('/v2/projects/?order_by=canary-51&type=private&page=0&name=a%00b')
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({
      error: {
        code: 'invalid',
        message: 'Invalid input.',
        fields: {
          order_by: ['Must be one of: name, -name, created_at, -created_at.'],
          type: ['Must be one of: public.'],
        },
      },
    })
    expect(response.body).not.toContain('canary-51')
    expect((await fixture.call('/v2/projects/?name=a%00b')).statusCode).toBe(400)
    expect((await fixture.call('/v2/projects/?name=%ff%')).statusCode).toBe(200)
  })
})
