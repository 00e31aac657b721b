import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { UsageRow } from '@fairlead/gateway-core/usage/usage-counts'
import { insertNode } from '../../records/nodes.ts'
import { insertOrganization } from '../../records/organizations.ts'
import { writeUsage } from '../../records/usage.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'
import { nodeUsage } from './usage.ts'
import type { Success } from '../platform-call.ts'

type Page = Success<'listNodeUsage'>

const at = (text: string) => Date.parse(text)

describe.each(backends)('GET /v2/reporting/node-usage/ on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  let usageRow: UsageRow
  let secondId: string
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database)
    const { organizationId, projectId, nodeId } = fixture.first
    const { db, encryptor } = fixture.store
    const second = {
      projectId,
      name: 'Second',
      chain: 'evm',
      network: 'other',
      protocols: ['evm'],
      upstreams: {},
    }
    secondId = await insertNode(db, encryptor, second)
    const ids = { organizationId, projectId, nodeId, credentialId: 'CR-1' }
    const kind = { protocol: 'evm', method: 'eth_call', statusClass: 2 } as const
    const times = { timedRequests: 10, durationMicroseconds: 12_345 }
    const counts = { requests: 10, units: 10, bytesIn: 100, bytesOut: 1_000, ...times }
    usageRow = { hour: at('2026-03-09T14:00:00Z'), ...ids, ...kind, ...counts }
    const foreign = await insertOrganization(db, 'Other')
    const rows: UsageRow[] = [
      usageRow,
      { ...usageRow, statusClass: 4, requests: 2, units: 0, bytesIn: 20, bytesOut: 30 },
      { ...usageRow, hour: at('2026-03-09T15:00:00Z'), method: 'eth_chainId' },
      { ...usageRow, hour: at('2026-03-10T00:00:00Z'), credentialId: 'CR-2' },
      {
        ...usageRow,
        hour: at('2026-04-01T00:00:00Z'),
        protocol: 'beacon',
        method: 'eventstream',
        timedRequests: 0,
        durationMicroseconds: 0,
      },
      { ...usageRow, nodeId: secondId },
      { ...usageRow, nodeId: 'ND-deleted' },
      { ...usageRow, organizationId: foreign, nodeId: 'ND-foreign' },
    ]
    await writeUsage(db, { writer: 'test', sequence: 1, rows })
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  const path = (query: string) => `/v2/reporting/node-usage/?${query}`

  async function report(query: string): Promise<Page> {
    const response = await fixture.call(path(query))
    expect([response.statusCode, response.body]).toEqual([200, response.body])
    return response.json<Page>()
  }

  it('groups by day, node and protocol by default', async () => {
    const { count, next, previous, results, totals } = await report('date_from=2026-03-01&date_to=2026-04-30')
    expect([count, next, previous]).toEqual([5, null, null])
    const { nodeId } = fixture.first
    expect(results.map((row) => [row.datetime, row.protocol, row.node_id, row.requests])).toEqual([
      ['2026-04-01T00:00:00Z', 'beacon', nodeId, 10],
      ['2026-03-10T00:00:00Z', 'evm', nodeId, 10],
      ...[nodeId, secondId, 'ND-deleted']
        .toSorted()
        .map((id) => ['2026-03-09T00:00:00Z', 'evm', id, id === nodeId ? 22 : 10]),
    ])
    expect(results.find((row) => row.node_id === nodeId && row.requests === 22)).toEqual({
      datetime: '2026-03-09T00:00:00Z',
      protocol: 'evm',
      node_id: nodeId,
      node_name: 'First node',
      network: 'devnet',
      method: null,
      credential_id: null,
      requests: 22,
      failed_requests: 2,
      request_units: 20,
      bytes_in: 220,
      bytes_out: 2_030,
      timed_requests: 30,
      duration_ms: 37.035,
    })
    expect(results.find((row) => row.node_id === 'ND-deleted')).toMatchObject({
      node_name: null,
      network: null,
    })
    const sums = { requests: 62, failed_requests: 2, request_units: 60, bytes_in: 620, bytes_out: 6_030 }
    expect(totals).toEqual({ ...sums, timed_requests: 60, duration_ms: 74.07 })
  })

  it.each([
    ['date_from=2026-03-09&date_to=2026-03-09', 42],
    ['date_from=2026-03-09&date_to=2026-03-10', 52],
    ['date_from=2026-03-09T14:59:59.5Z&date_to=2026-03-09T15:30:00Z', 32],
    ['date_from=2026-03-09T17:00:00%2B02:00&date_to=2026-03-09', 10],
    ['date_from=2026-03-09&date_to=2026-04-30&protocol=beacon', 10],
    ['date_from=2026-03-09&date_to=2026-04-30&protocol=beacon,evm,grpc', 62],
    ['date_from=2026-03-09&date_to=2026-04-30&network=other,none', 10],
    ['date_from=2026-03-09&node_id=ND-deleted,ND-foreign', 10],
    ['date_from=2026-03-09&node_id=ND-foreign', 0],
    ['date_from=2026-03-09&node_id=&network=&protocol=&date_to=', 62],
    ['date_from=2027-01-01', 0],
  ])('%s has %d requests', async (query, requests) => {
    const { totals, results } = await report(query)
    expect(totals.requests).toBe(requests)
    expect(results.reduce((sum, row) => sum + row.requests, 0)).toBe(requests)
  })

  it('groups by the requested fields', async () => {
    const time = 'date_from=2026-03-01&date_to=2026-03-31'
    const months = await report(
      `${time}&granularity=month&group_by=method,credential&node_id=${fixture.first.nodeId}`,
    )
    const short = months.results.map((row) => [
      row.datetime,
      row.node_id,
      row.method,
      row.credential_id,
      row.requests,
    ])
    expect(short).toEqual([
      ['2026-03-01T00:00:00Z', null, 'eth_call', 'CR-1', 12],
      ['2026-03-01T00:00:00Z', null, 'eth_call', 'CR-2', 10],
      ['2026-03-01T00:00:00Z', null, 'eth_chainId', 'CR-1', 10],
    ])
    const hours = await report(`${time}&granularity=hour&group_by=credential&ordering=datetime`)
    expect(hours.results.map((row) => [row.datetime, row.credential_id, row.requests])).toEqual([
      ['2026-03-09T14:00:00Z', 'CR-1', 32],
      ['2026-03-09T15:00:00Z', 'CR-1', 10],
      ['2026-03-10T00:00:00Z', 'CR-2', 10],
    ])
  })

  it('starts with the current month by default', async () => {
    const { first, store } = fixture
    const identity = { organizationId: first.organizationId } as Parameters<typeof nodeUsage>[1]['identity']
    const page = { page: 1, page_size: 100 } as const
    const query = { granularity: 'day', group_by: 'node', ordering: 'datetime', ...page } as const
    const call = { identity, query, links: { address: '', parameters: {} } }
    const { totals } = await nodeUsage(store.db, call, at('2026-04-17T10:00:00Z'))
    expect(totals.requests).toBe(10)
  })

  it('has pages with the totals of the entire report', async () => {
    const rows = Array.from({ length: 100 + 3 }, (_, index) => ({
      ...usageRow,
      hour: at('2025-01-01T00:00:00Z') + index * 3_600_000,
    }))
    await writeUsage(fixture.store.db, { writer: 'test', sequence: 2, rows })
    const query = 'date_from=2025-01-01&date_to=2025-12-31&granularity=hour&ordering=node_id,-datetime'
    const first = await report(query)
    expect([first.count, first.results.length, first.previous]).toEqual([100 + 3, 100, null])
    const second = await report((first.next ?? '').replace(/^[^?]*\?/, ''))
    expect([second.count, second.results.length, second.next]).toEqual([100 + 3, 3, null])
    expect(second.totals).toEqual(first.totals)
    const times = [...first.results, ...second.results].map((row) => row.datetime)
    expect(times).toEqual(times.toSorted().toReversed())
    expect((await fixture.call(path(`${query}&page=3`))).statusCode).toBe(404)
  })

  it.each([
    ['date_from=yesterday', 'date_from'],
    ['date_from=2026-02-30', 'date_from'],
    ['date_to=2026-13-01', 'date_to'],
    ['date_to=2026-01-01T25:00:00Z', 'date_to'],
    ['date_from=2026-03-02&date_to=2026-03-01T00:00:00Z', 'date_to'],
    ['protocol=evm,ftp', 'protocol'],
    ['granularity=minute', 'granularity'],
    ['group_by=node,', 'group_by'],
    ['ordering=requests', 'ordering'],
    [`node_id=${'N'.repeat(4_001)}`, 'node_id'],
  ])('rejects %s', async (query, field) => {
    const response = await fixture.call(path(query))
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({
      error: { code: 'invalid', fields: { [field]: [expect.any(String)] } },
    })
  })

  it('requires an API key', async () => {
    expect((await fixture.anonymous(path(''))).statusCode).toBe(401)
    expect((await fixture.call('/v2/reporting/node-usage/', { method: 'POST' })).statusCode).toBe(405)
  })
})
