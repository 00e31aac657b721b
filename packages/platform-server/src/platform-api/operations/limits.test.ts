import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeUsage } from '../../records/usage.ts'
import { loadNodeCredentials } from '../../store/load-node-credentials.ts'
import { type JsonCall, jsonCalls, nodePath } from '../../testing/json-calls.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { describeInOrder } from '../../testing/describe-in-order.ts'
import type { TemporaryDatabase } from '../../testing/temporary-store.ts'

const none = {
  requests_per_second: null,
  burst: null,
  requests_per_day: null,
  units_per_month: null,
  max_concurrent_calls: null,
  max_batch_items: null,
  max_body_bytes: null,
  max_log_range: null,
  methods: null,
}

describeInOrder('limits', (create) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  let call: JsonCall
  let ofProject: string
  let ofNode: string
  let ofCredential: string
  let credentialId: string
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database)
    call = jsonCalls(fixture)
    const { nodeId, projectId } = fixture.first
    const { body } = await call<{ results: { id: string }[] }>('GET', nodePath(nodeId, 'credentials'))
    credentialId = body.results[0]?.id ?? ''
    ofProject = `/v2/projects/${projectId}/limits/`
    ofNode = nodePath(nodeId, 'limits')
    ofCredential = nodePath(nodeId, 'credentials', credentialId, 'limits')
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  const activeLimits = async () => {
    const { db, encryptor } = fixture.store
    const grants = (await loadNodeCredentials(db, encryptor)).map(({ grant }) => grant)
    return grants.find((grant) => grant.credentialId === credentialId)?.limits
  }

  it('are empty by default, and can be set for project, node and credential', async () => {
    for (const path of [ofProject, ofNode, ofCredential]) {
      const first = await call('GET', path)
      expect([first.status, first.etag]).toEqual([200, '"0"'])
      expect(first.body).toMatchObject({ ...none, used: { requests_today: 0, units_this_month: 0 } })
    }
    const methods = { 'debug_*': { requests_per_second: 2 } }
    const project = await call('PUT', ofProject, { requests_per_day: 1_000, units_per_month: 9_000 })
    expect(project).toMatchObject({ etag: '"1"', body: { requests_per_day: 1_000, units_per_month: 9_000 } })
    const node = await call('PUT', ofNode, { requests_per_second: 5, burst: 10, max_log_range: 100, methods })
    expect(node.body).toMatchObject({
      ...none,
      requests_per_second: 5,
      burst: 10,
      max_log_range: 100,
      methods: { 'debug_*': { requests_per_second: 2, burst: null } },
    })
    const sizes = { max_batch_items: 3, max_body_bytes: 1_000, max_concurrent_calls: 8 }
    expect((await call('PUT', ofCredential, sizes)).body).toMatchObject({ ...none, ...sizes })
    expect(await activeLimits()).toEqual({
      project: { requestsPerDay: 1_000, unitsPerMonth: 9_000 },
      node: {
        rate: { requestsPerSecond: 5, burst: 10 },
        maxLogRange: 100,
        methodRates: { 'debug_*': { requestsPerSecond: 2 } },
      },
      credential: { maxBatchItems: 3, maxBodyBytes: 1_000, maxConcurrentCalls: 8 },
    })
  })

  it('ignore unknown fields with any value', async () => {
    const rate = { requests_per_second: 2, burst: null }
    const methods = { eth_call: { ...rate, note: 'a\0b', 'c\0d': 1 } }
    const { status, body } = await call('PUT', ofNode, { requests_per_second: 5, methods, more: ['\ud800'] })
    expect(status).toBe(200)
    expect(body['methods']).toEqual({ eth_call: rate })
  })

  it('are replaced entirely, with a matching version', async () => {
    const { etag = '' } = await call('PUT', ofNode, { requests_per_second: 5 })
    expect((await call('PUT', ofNode, { requests_per_second: 5 })).etag).toBe(etag)
    const [one, other] = await Promise.all([
      call('PUT', ofNode, { max_batch_items: 1 }, { 'if-match': etag }),
      call('PUT', ofNode, { max_batch_items: 2 }, { 'if-match': etag }),
    ])
    expect(new Set([one.status, other.status])).toEqual(new Set([200, 412]))
    expect((await call('GET', ofNode)).body).toMatchObject({ requests_per_second: null })
    const emptied = await call('PUT', ofNode, {})
    expect(emptied.body).toMatchObject(none)
    // The version continues to increase, so that an old version does not match again.
    expect((await call('PUT', ofNode, {}, { 'if-match': '"0"' })).status).toBe(412)
    const audited = await fixture.store.db
      .selectFrom('audit_log')
      .select('changes')
      .where('action', '=', 'limits.update')
      .where('object_id', '=', fixture.first.nodeId)
      .orderBy('created_at', 'desc')
      .execute()
    expect(audited[0]?.changes).toEqual({ max_batch_items: { before: expect.any(Number), after: null } })
  })

  it('report their usage', async () => {
    const { nodeId, projectId, organizationId } = fixture.first
    const row = {
      nodeId,
      projectId,
      organizationId,
      credentialId,
      protocol: 'evm',
      method: 'eth_call',
      requests: 7,
      units: 9,
      bytesIn: 1,
      bytesOut: 1,
      timedRequests: 7,
      durationMicroseconds: 7_000,
    } as const
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000
    const rows = [
      { ...row, hour, statusClass: 2 },
      { ...row, hour, statusClass: 4 },
      { ...row, hour, statusClass: 2, credentialId: 'CR-other' },
    ]
    await writeUsage(fixture.store.db, { writer: 'w', sequence: 1, rows })
    for (const [path, factor] of [
      [ofProject, 2],
      [ofNode, 2],
      [ofCredential, 1],
    ] as const) {
      const { body } = await call<{ used: Record<string, unknown> }>('GET', path)
      expect(body.used).toEqual({
        requests_today: 7 * factor,
        units_this_month: 9 * factor,
        requests_reset_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T00:00:00Z$/),
        units_reset_at: expect.stringMatching(/^\d{4}-\d{2}-01T00:00:00Z$/),
      })
    }
  })

  it.each([
    [{ requests_per_second: 0 }, 'requests_per_second'],
    [{ requests_per_second: 1.5 }, 'requests_per_second'],
    [{ requests_per_day: '9' }, 'requests_per_day'],
    [{ burst: 5 }, 'burst'],
    [{ methods: { 'a b': { requests_per_second: 1 } } }, 'methods'],
    [{ methods: { eth_call: {} } }, 'methods.eth_call.requests_per_second'],
    [{ methods: [] }, 'methods'],
    [{ methods: { 'a\0b': { requests_per_second: 1 } } }, 'methods'],
  ])('reject %j', async (body, field) => {
    const response = await call<{ error: { fields: object } }>('PUT', ofNode, body)
    expect(response.status).toBe(400)
    expect(Object.keys(response.body.error.fields)).toEqual([field])
  })
})
