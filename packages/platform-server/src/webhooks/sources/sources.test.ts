import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ensureFirstStart } from '../../first-start/first-start.ts'
import { issueNodeCredential } from '../../records/node-credentials.ts'
import { insertNode } from '../../records/nodes.ts'
import { parseUpstreams } from '@fairlead/gateway-core/grants/parse-upstreams'
import { upstreamId } from '@fairlead/gateway-core/upstream/upstream-registry'
import { insertWebhook } from '../../records/webhooks.ts'
import { putLimits } from '../../records/limits.ts'
import { writeUsage } from '../../records/usage.ts'
import type { SubscribedEventType } from '../../store/database.ts'
import type { Store } from '../../store/open-store.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'
import { createQuotaCheck } from './check-quotas.ts'
import { createAddressWatch, networkOf } from './watch-addresses.ts'
import { createUpstreamWatch, type ObservedUpstream } from './watch-upstreams.ts'
import { protocols } from '../../testing/protocols.ts'

const noon = Date.parse('2026-03-09T12:00:00Z')
const evm = 'https://user:c4n4ry@a.example:8443/c4n4ry?key=c4n4ry http://b.example'

describe.each(backends)('sources of events on $name', ({ create }) => {
  let database: TemporaryDatabase
  let store: Store
  let nodeId: string
  let projectId: string
  let organizationId: string
  let credentialId: string
  let batches = 0
  beforeAll(async () => {
    database = await create()
    store = await database.open()
    const upstreams = { evm }
    const first = await ensureFirstStart(store, { protocols, upstreams })
    ;({ nodeId, projectId, organizationId } = first)
  }, 60_000)
  afterAll(() => database.remove())
  beforeEach(async () => {
    const credential = { nodeId, kind: 'token', origin: 'user', label: 'Explorer' } as const
    credentialId = (await issueNodeCredential(store.db, credential)).id
  })
  afterEach(async () => {
    for (const table of [
      'webhooks',
      'webhook_events',
      'limits',
      'usage_hours',
      'usage_days',
      'upstream_states',
      'credential_addresses',
    ] as const) {
      await store.db.deleteFrom(table).execute()
    }
  })

  async function subscribe(...events: SubscribedEventType[]): Promise<void> {
    const fields = { url: 'https://hooks.example/', description: '', events, active: true, secret: 's' }
    await store.db
      .transaction()
      .execute((transaction) => insertWebhook(transaction, store.encryptor, { ...fields, organizationId }))
  }

  /** The stored events, as receivers get them. */
  async function listEvents(): Promise<{ type: string; data: unknown }[]> {
    const { rows } = await sql<{ body: string }>`
      select event.body from webhook_events as event join webhook_deliveries on event_id = event.id
      order by event.created_at, event.id`.execute(store.db)
    return rows.map(({ body }) => JSON.parse(body) as { type: string; data: unknown })
  }

  async function use(requests: number, at = noon): Promise<void> {
    const ids = { nodeId, credentialId, projectId, organizationId }
    const kind = { protocol: 'evm', method: 'eth_call', statusClass: 2 } as const
    const counts = { requests, units: requests * 2, bytesIn: 0, bytesOut: 0 }
    const row = { ...ids, ...kind, hour: at, ...counts, timedRequests: 0, durationMicroseconds: 0 }
    await writeUsage(store.db, { writer: 'test', sequence: ++batches, rows: [row] })
  }

  describe('quotas', () => {
    const quotas = ['quota.warning', 'quota.exhausted'] as const

    it('are reported at 80 % and when exhausted, once per day', async () => {
      await subscribe(...quotas)
      await putLimits(store.db, { kind: 'credential', id: credentialId }, { requestsPerDay: 100 })
      const check = createQuotaCheck(store.db)
      await use(79)
      expect(await check(noon)).toBe(0)
      await use(1)
      expect(await check(noon)).toBe(1)
      expect(await check(noon)).toBe(0)
      await use(19)
      expect(await check(noon)).toBe(0)
      await use(1)
      expect(await check(noon + 60_000)).toBe(1)
      // Another process, or this one after a restart, detects the duplicate as well.
      expect(await createQuotaCheck(store.db)(noon)).toBe(0)
      const owner = { kind: 'credential', id: credentialId, name: 'Explorer' }
      const common = { owner, quota: 'requests_per_day', limit: 100, resets_at: '2026-03-10T00:00:00.000Z' }
      expect(await listEvents()).toMatchObject([
        { type: 'quota.warning', data: { ...common, percent: 80, used: 80 } },
        { type: 'quota.exhausted', data: { ...common, percent: 100, used: 100 } },
      ])
      const tomorrow = noon + 24 * 3_600_000
      expect(await check(tomorrow)).toBe(0)
      await use(500, tomorrow)
      expect(await check(tomorrow)).toBe(1)
      expect((await listEvents()).at(-1)).toMatchObject({ type: 'quota.exhausted', data: { used: 500 } })
    })

    it('are reported for nodes and projects per month', async () => {
      await subscribe(...quotas)
      await putLimits(store.db, { kind: 'node', id: nodeId }, { unitsPerMonth: 100 })
      await putLimits(
        store.db,
        { kind: 'project', id: projectId },
        { unitsPerMonth: 20, requestsPerDay: 1_000 },
      )
      await use(45)
      expect(await createQuotaCheck(store.db)(noon)).toBe(2)
      const owners = (await listEvents()).map(({ type, data }) => [type, data])
      expect(owners).toContainEqual([
        'quota.warning',
        expect.objectContaining({
          owner: { kind: 'node', id: nodeId, name: expect.any(String) as string },
          quota: 'units_per_month',
          used: 90,
          resets_at: '2026-04-01T00:00:00.000Z',
        }),
      ])
      expect(owners).toContainEqual([
        'quota.exhausted',
        expect.objectContaining({ owner: expect.objectContaining({ kind: 'project' }) as object, used: 90 }),
      ])
    })

    it('are sent to webhooks that subscribe later, and to no others', async () => {
      await putLimits(store.db, { kind: 'node', id: nodeId }, { requestsPerDay: 1 })
      await use(1)
      const check = createQuotaCheck(store.db)
      await subscribe('quota.warning')
      expect(await check(noon)).toBe(0)
      await subscribe('quota.exhausted')
      expect(await check(noon)).toBe(1)
      expect(await listEvents()).toHaveLength(1)
    })
  })

  describe('upstreams', () => {
    const idOf = (text: string, position: number, field = 'evm') => {
      const record = parseUpstreams(text)[position]
      return record ? upstreamId(record, field, store.encryptor.fingerprint) : ''
    }
    const observed = (state: ObservedUpstream['class'], position = 0): ObservedUpstream => ({
      id: idOf(evm, position),
      nodes: [nodeId],
      field: 'evm',
      class: state,
    })

    it('are reported when they go down and recover, without secrets of their URLs', async () => {
      await subscribe('upstream.down', 'upstream.up')
      const check = createUpstreamWatch(store)
      const checks: [ObservedUpstream['class'], number][] = [
        ['ready', 0],
        ['ready', 0],
        // One observation is not enough for a change of state.
        ['failing', 0],
        ['ready', 0],
        ['failing', 0],
        ['failing', 1],
        ['wrong_chain', 0],
        ['lagging', 0],
        ['ready', 1],
        ['ready', 0],
      ]
      for (const [at, [state, events]] of checks.entries()) {
        expect([at, await check([observed(state), observed('ready', 1)], noon + at)]).toEqual([at, events])
      }
      const data = {
        node: { id: nodeId, name: expect.any(String) as string },
        upstream: { protocol: 'evm', position: 0, address: 'https://a.example:8443' },
      }
      const events = await listEvents()
      expect(events).toMatchObject([
        { type: 'upstream.down', data },
        { type: 'upstream.up', data },
      ])
      expect(JSON.stringify(events)).not.toContain('c4n4ry')
    })

    it('are reported for every node that uses them', async () => {
      await subscribe('upstream.down')
      const other = await insertNode(store.db, store.encryptor, {
        projectId,
        name: 'Other',
        chain: 'evm',
        network: 'devnet',
        protocols: ['evm'],
        upstreams: { evm },
      })
      const check = createUpstreamWatch(store)
      const shared: ObservedUpstream = { ...observed('failing'), nodes: [nodeId, other] }
      expect([await check([shared], noon), await check([shared], noon)]).toEqual([0, 2])
      const nodes = (await listEvents()).map(({ data }) => (data as { node: { id: string } }).node.id)
      expect(new Set(nodes)).toEqual(new Set([nodeId, other]))
    })

    it('are reported once for any number of processes', async () => {
      await subscribe('upstream.down', 'upstream.up')
      const checks = [createUpstreamWatch(store), createUpstreamWatch(store)]
      const events: number[] = []
      for (const state of ['failing', 'failing', 'ready', 'ready'] as const) {
        for (const check of checks) events.push(await check([observed(state, 1)], noon))
      }
      expect(events).toEqual([0, 0, 1, 0, 0, 0, 1, 0])
      expect((await listEvents()).map(({ data }) => data)).toMatchObject([
        { upstream: { position: 1, address: 'http://b.example' } },
        { upstream: { position: 1, address: 'http://b.example' } },
      ])
    })

    it('are not reported when removed, unused or not yet checked', async () => {
      await subscribe('upstream.down', 'upstream.up')
      const check = createUpstreamWatch(store)
      const observations: ObservedUpstream[] = [
        { ...observed('failing'), nodes: ['ND-deleted'], field: 'evm', class: 'failing' },
        observed('cordoned'),
        observed('unknown', 1),
      ]
      expect([await check(observations, noon), await check(observations, noon)]).toEqual([0, 0])
    })

    it('are not reported for a node whose record names another upstream by now', async () => {
      await subscribe('upstream.down')
      const check = createUpstreamWatch(store)
      const previous: ObservedUpstream = { ...observed('failing'), id: idOf('http://former.example', 0) }
      expect([await check([previous], noon), await check([previous], noon)]).toEqual([0, 0])
      expect([await check([observed('failing')], noon), await check([observed('failing')], noon)]).toEqual([
        0, 1,
      ])
    })

    it('have the names of the API', async () => {
      await subscribe('upstream.down')
      const check = createUpstreamWatch(store)
      const text = 'https://index.example'
      const node = await insertNode(store.db, store.encryptor, {
        projectId,
        name: 'Index',
        chain: 'jetton',
        network: 'devnet',
        protocols: ['jetton'],
        upstreams: { 'jetton-v3': text },
      })
      const id = idOf(text, 0, 'jetton-v3')
      const index: ObservedUpstream = { ...observed('failing'), id, nodes: [node], field: 'jetton-v3' }
      expect([await check([index], noon), await check([index], noon)]).toEqual([0, 1])
      expect(await listEvents()).toMatchObject([
        { data: { upstream: { protocol: 'jetton_v3', position: 0 } } },
      ])
    })

    it('are sent to webhooks that subscribe later', async () => {
      const check = createUpstreamWatch(store)
      for (let at = 0; at < 3; at++) expect(await check([observed('failing')], noon)).toBe(0)
      await subscribe('upstream.down')
      expect(await check([observed('failing')], noon)).toBe(1)
    })
  })

  describe('addresses of credentials', () => {
    const report = (...addresses: string[]) => [
      { credentialId, usedAt: noon, address: addresses.at(-1) ?? '', addresses },
    ]

    it('are reported when new, except for the first', async () => {
      await subscribe('credential.new_address')
      const watch = createAddressWatch(store)
      expect(await watch(report('192.0.2.1'), noon)).toBe(0)
      expect(await watch(report('192.0.2.1', '192.0.2.2'), noon)).toBe(1)
      expect(await watch(report('192.0.2.1', '192.0.2.2'), noon)).toBe(0)
      expect(await createAddressWatch(store)(report('192.0.2.2', '192.0.2.1'), noon)).toBe(0)
      expect(await listEvents()).toMatchObject([
        {
          type: 'credential.new_address',
          data: {
            credential: { id: credentialId, kind: 'token', label: 'Explorer' },
            node: { id: nodeId },
            address: '192.0.2.2',
          },
        },
      ])
      const rows = await store.db.selectFrom('credential_addresses').selectAll().execute()
      expect(rows).toHaveLength(2)
      expect(JSON.stringify(rows)).not.toContain('192.0.2')
    })

    it('are reported from the second one when several are new', async () => {
      await subscribe('credential.new_address')
      expect(await createAddressWatch(store)(report('192.0.2.1', '192.0.2.2', '192.0.2.3'), noon)).toBe(2)
    })

    it('of IPv6 are equal when their networks are', async () => {
      await subscribe('credential.new_address')
      const watch = createAddressWatch(store)
      expect(await watch(report('2001:db8::1', '2001:db8::ffff:2', '2001:db8:0:1::1'), noon)).toBe(1)
    })

    it('are not reported for a credential with many addresses', async () => {
      await subscribe('credential.new_address')
      const watch = createAddressWatch(store)
      const manyAddresses = Array.from({ length: 100 }, (_, at) => `198.51.100.${at}`)
      expect(await watch(report(...manyAddresses), noon)).toBe(99)
      expect(await watch(report('192.0.2.1'), noon)).toBe(0)
    })

    it('are not stored without a subscribed webhook', async () => {
      const watch = createAddressWatch(store)
      expect(await watch(report('192.0.2.1', '192.0.2.2'), noon)).toBe(0)
      expect(await store.db.selectFrom('credential_addresses').selectAll().execute()).toEqual([])
      await subscribe('credential.new_address')
      expect(await watch(report('192.0.2.1'), noon)).toBe(0)
      expect(await watch(report('192.0.2.2'), noon)).toBe(1)
    })
  })
})

describe('networkOf', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
