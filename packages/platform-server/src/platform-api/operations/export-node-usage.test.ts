import { text as readText } from 'node:stream/consumers'
import { clearImmediate, setImmediate as schedule } from 'node:timers'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { UsageRow } from '@fairlead/gateway-core/usage/usage-counts'
import { insertNode } from '../../records/nodes.ts'
import { writeUsage } from '../../records/usage.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import type { Store } from '../../store/open-store.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'
import { exportUsage } from '../../usage-export/export-usage.ts'
import { streamReport } from '../../records/usage-report.ts'
import type { Success } from '../platform-call.ts'

type Page = Success<'listNodeUsage'>

const fields = [
  'datetime',
  'protocol',
  'node_id',
  'node_name',
  'network',
  'method',
  'credential_id',
  'requests',
  'failed_requests',
  'request_units',
  'bytes_in',
  'bytes_out',
  'timed_requests',
  'duration_ms',
] as const

/** Parses CSV (RFC 4180). */
function readCsv(text: string): string[][] {
  const lines: string[][] = []
  let line: string[] = []
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    line.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === ',') continue
    if (end === '\r\n') lines.push(line)
    line = []
  }
  return lines
}

describe.each(backends)('GET /v2/reporting/node-usage/export/ on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database)
    const { organizationId, projectId, nodeId } = fixture.first
    const { db, encryptor } = fixture.store
    const names = ['=HYPERLINK("http://evil.example")', 'a, "b"\r\nc', '-1', 'Plain']
    const ids = [nodeId]
    for (const name of names) {
      const node = { projectId, name, chain: 'evm', network: '@net', protocols: ['evm'], upstreams: {} }
      ids.push(await insertNode(db, encryptor, node))
    }
    const rows: UsageRow[] = []
    for (let hour = 0; hour < 600; hour++) {
      rows.push({
        organizationId,
        projectId,
        nodeId: ids[hour % ids.length] ?? '',
        credentialId: `CR-${hour % 3}`,
        hour: Date.parse('2026-03-01T00:00:00Z') + hour * 3_600_000,
        protocol: 'evm',
        method: hour % 2 === 0 ? 'eth_call' : 'eth_chainId',
        statusClass: hour % 7 === 0 ? 4 : 2,
        requests: hour + 1,
        units: hour,
        bytesIn: 2 ** 40 + hour,
        bytesOut: 7,
        timedRequests: hour,
        durationMicroseconds: hour * 1_234_567,
      })
    }
    await writeUsage(db, { writer: 'test', sequence: 1, rows })
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  const csvOf = async (query: string) => {
    const response = await fixture.call(`/v2/reporting/node-usage/export/?${query}`)
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ])
    expect(response.headers['content-disposition']).toContain('attachment')
    return response.body
  }

  async function reportRows(query: string): Promise<Page['results']> {
    const rows: Page['results'] = []
    let next: string | null = `/v2/reporting/node-usage/?${query}`
    while (next !== null) {
      const page: Page = (await fixture.call(next.replace(/^https?:\/\/[^/]+/, ''))).json<Page>()
      rows.push(...page.results)
      next = page.next
    }
    return rows
  }

  it.each([
    'date_from=2026-03-01&date_to=2026-04-30',
    'date_from=2026-03-01&date_to=2026-04-30&granularity=hour&group_by=node,method,credential',
    'date_from=2026-03-01&date_to=2026-04-30&granularity=month&group_by=credential&ordering=node_id',
    'date_from=2026-03-05T07:00:00Z&date_to=2026-03-09&group_by=method&ordering=datetime&network=@net',
    'date_from=2031-01-01',
  ])('has the rows of the report for %s', async (query) => {
    const [head, ...lines] = readCsv(await csvOf(query))
    expect(head).toEqual(fields)
    const cells = (await reportRows(query)).map((row) =>
      fields.map((name) => {
        const text = String(row[name] ?? '')
        return typeof row[name] === 'string' && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
      }),
    )
    expect(lines).toEqual(cells)
  })

  it('handles other requests between its batches', async () => {
    let ticks = 0
    const tick = () => {
      ticks += 1
      next = schedule(tick)
    }
    let next = schedule(tick)
    const batches = new Set<number>()
    const query = {
      organizationId: fixture.first.organizationId,
      from: '2026-03-01T00:00:00.000Z',
      granularity: 'hour',
      groupBy: new Set(['method'] as const),
      order: [{ field: 'datetime', descending: false }],
    } as const
    await fixture.store.withSession(async (session) => {
      for await (const rows of streamReport(session, query, () => undefined)) {
        expect(rows.length).toBeLessThanOrEqual(100)
        batches.add(ticks)
      }
    })
    clearImmediate(next)
    // Of 600 rows.
    expect(batches.size).toBe(6)
  })

  it('has no cell that a spreadsheet would execute', async () => {
    const lines = readCsv(await csvOf('date_from=2026-03-01'))
    const cells = lines.flat()
    expect(cells).toContain(`'=HYPERLINK("http://evil.example")`)
    expect(cells).toContain(`'-1`)
    expect(cells).toContain(`'@net`)
    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([])
  })

  // For each round: repeated requests use up the rate limit of a key, at most one each second.
  const newKey = async (round: number) => {
    const payload = { name: `round ${round}`, scopes: ['usage:read'] }
    const created = await fixture.call('/v1/api-keys/', { method: 'POST', payload })
    return { authorization: `Bearer ${created.json<{ key: string }>().key}` }
  }

  it('leaves nothing open after a client disconnects', async () => {
    const address = await fixture.app.listen({ host: '127.0.0.1', port: 0 })
    const path = '/v2/reporting/node-usage/export/?date_from=2026-03-01&granularity=hour'
    for (let round = 0; round < 5; round++) {
      const headers = await newKey(round)
      const response = await fetch(`${address}${path}`, { headers })
      await response.body?.cancel()
      // More than the concurrency limit, so each must end soon.
      const next = async () => (await fixture.call(path, { headers })).statusCode
      await expect.poll(next, { timeout: 50_000, interval: 1_000 }).toBe(200)
    }
  })

  it('releases the database when the client stops reading', async () => {
    const { withSession } = fixture.store
    const cursors = () =>
      withSession(async (session) => {
        const { rows } = await sql<{
          count: number
        }>`select count(*)::int as count from pg_cursors where name like 'report%'`.execute(session)
        return rows[0]?.count
      })
    let isOver = false
    const csv = await exportUsage(
      withSession,
      {
        organizationId: fixture.first.organizationId,
        from: '2026-03-01T00:00:00.000Z',
        granularity: 'hour',
        groupBy: new Set(['node', 'method', 'credential']),
        order: [],
      },
      () => (isOver = true),
    )
    // Other queries still run meanwhile, also where there is only one session.
    const open = await cursors()
    expect([isOver, database.databaseUrl === undefined ? open : 1]).toEqual([false, 1])
    csv.destroy()
    await expect.poll(() => isOver, { timeout: 50_000 }).toBe(true)
    expect(await cursors()).toBe(0)
  })

  const exported = (withSession: Store['withSession'], ended: () => void) =>
    exportUsage(
      withSession,
      {
        organizationId: fixture.first.organizationId,
        from: '2026-03-01T00:00:00.000Z',
        granularity: 'month',
        groupBy: new Set(),
        order: [],
      },
      ended,
    )

  it('releases the database before the end of the text', async () => {
    let isReleased = false
    const releasedLate: Store['withSession'] = async (use) => {
      const result = await fixture.store.withSession(use)
      for (let turn = 0; turn < 20; turn++) await setImmediate()
      return result
    }
    const csv = await exported(releasedLate, () => (isReleased = true))
    expect((await readText(csv)).split('\r\n')).toHaveLength(3)
    expect(isReleased).toBe(true)
  })

  it('fails when there is no session, and when a session is lost', async () => {
    const ended = vi.fn<() => void>()
    await expect(exported(() => Promise.reject(new Error('none')), ended)).rejects.toThrow('none')
    expect(ended).toHaveBeenCalledOnce()
    const lost: Store['withSession'] = async (use) => {
      await fixture.store.withSession(use)
      throw new Error('lost')
    }
    await expect(readText(await exported(lost, ended))).rejects.toThrow('lost')
    expect(ended).toHaveBeenCalledTimes(2)
  })

  it('responds to HEAD without a body, and leaves nothing open', async () => {
    const path = '/v2/reporting/node-usage/export/?date_from=2026-03-01'
    for (let round = 0; round < 3; round++) {
      const headers = await newKey(round)
      const head = async () => (await fixture.call(path, { method: 'HEAD', headers })).statusCode
      await expect.poll(head, { timeout: 50_000, interval: 1_000 }).toBe(200)
    }
    const headers = await newKey(3)
    const get = async () => (await fixture.call(path, { headers })).statusCode
    await expect.poll(get, { timeout: 50_000, interval: 1_000 }).toBe(200)
  })

  it.each([
    ['date_from=yesterday', 'date_from'],
    ['granularity=minute', 'granularity'],
    ['date_from=2026-03-02&date_to=2026-03-01T00:00:00Z', 'date_to'],
  ])('rejects %s', async (query, field) => {
    const response = await fixture.call(`/v2/reporting/node-usage/export/?${query}`)
    expect([response.statusCode, response.json()]).toEqual([
      400,
      expect.objectContaining({
        error: expect.objectContaining({ fields: { [field]: [expect.any(String)] } }) as object,
      }),
    ])
  })

  it('requires an API key', async () => {
    expect((await fixture.anonymous('/v2/reporting/node-usage/export/')).statusCode).toBe(401)
  })
})
