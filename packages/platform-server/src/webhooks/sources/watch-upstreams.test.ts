import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parseUpstreams } from '@fairlead/gateway-core/grants/parse-upstreams'
import { upstreamId } from '@fairlead/gateway-core/upstream/upstream-registry'
import { ensureFirstStart } from '../../first-start/first-start.ts'
import { updateNode } from '../../records/nodes.ts'
import { insertWebhook } from '../../records/webhooks.ts'
import type { SubscribedEventType } from '../../store/database.ts'
import type { Store } from '../../store/open-store.ts'
import { protocols } from '../../testing/protocols.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'
import { createUpstreamWatch, type ObservedUpstream } from './watch-upstreams.ts'

const noon = Date.parse('2026-03-09T12:00:00Z')
const [a, b, c] = ['http://a.example', 'http://b.example', 'http://c.example']

/** Events as `[type, address, position]`. */
const down = (address: string, position: number) => ['upstream.down', address, position]
const up = (address: string, position: number) => ['upstream.up', address, position]

describe.each(backends)('upstreams of a node whose list changes on $name', ({ create }) => {
  let database: TemporaryDatabase
  let store: Store
  let nodeId: string
  beforeAll(async () => {
    database = await create()
    store = await database.open()
    const first = await ensureFirstStart(store, { protocols, upstreams: { evm: a } })
    ;({ nodeId } = first)
    const { organizationId } = first
    const webhook = { url: 'https://hooks.example/', description: '', active: true, secret: 's' }
    const events: SubscribedEventType[] = ['upstream.down', 'upstream.up']
    await store.db
      .transaction()
      .execute((transaction) =>
        insertWebhook(transaction, store.encryptor, { ...webhook, events, organizationId }),
      )
  }, 60_000)
  afterAll(() => database.remove())
  afterEach(async () => {
    for (const table of ['webhook_events', 'upstream_states'] as const)
      await store.db.deleteFrom(table).execute()
  })

  async function change(evm: string): Promise<void> {
    await store.db
      .transaction()
      .execute((transaction) => updateNode(transaction, store.encryptor, nodeId, { upstreams: { evm } }))
  }

  /** Two processes that check the node with a first list. */
  async function watched(list: string) {
    await change(list)
    const checks = [createUpstreamWatch(store), createUpstreamWatch(store)]
    let at = noon
    return {
      /** Every process observes the upstreams twice. */
      observe: async (classes: Readonly<Record<string, ObservedUpstream['class']>>) => {
        const upstreams = Object.entries(classes).flatMap(([url, state]) =>
          parseUpstreams(url).map((record) => ({
            id: upstreamId(record, 'evm', store.encryptor.fingerprint),
            nodes: [nodeId],
            field: 'evm',
            class: state,
          })),
        )
        for (const check of [...checks, ...checks]) await check(upstreams, (at += 1_000))
      },
      events: async () => {
        const rows = await store.db
          .selectFrom('webhook_events')
          .select('body')
          .orderBy('created_at')
          .orderBy('id')
          .execute()
        return rows.map(({ body }) => {
          const { type, data } = JSON.parse(body) as {
            type: string
            data: { upstream: { address: string; position: number } }
          }
          return [type, data.upstream.address, data.upstream.position]
        })
      },
    }
  }

  it('are not confused with the upstream that had their position', async () => {
    const { observe, events } = await watched(`${a} ${b}`)
    await observe({ [a]: 'failing', [b]: 'ready' })
    await change(`${c} ${b}`)
    await observe({ [c]: 'ready', [b]: 'ready' })
    await change(b)
    await observe({ [b]: 'ready' })
    expect(await events()).toEqual([down(a, 0)])
  })

  it('are reported when another upstream was down at their position', async () => {
    const { observe, events } = await watched(`${a} ${b}`)
    await observe({ [a]: 'failing', [b]: 'ready' })
    await change(`${c} ${b}`)
    await observe({ [c]: 'failing', [b]: 'ready' })
    expect(await events()).toEqual([down(a, 0), down(c, 0)])
  })

  it('keep their state at another position', async () => {
    const { observe, events } = await watched(`${a} ${b}`)
    await observe({ [a]: 'failing', [b]: 'ready' })
    await change(`${b} ${a}`)
    await observe({ [a]: 'failing', [b]: 'ready' })
    expect(await events()).toEqual([down(a, 0)])
    await observe({ [a]: 'ready', [b]: 'ready' })
    expect(await events()).toEqual([down(a, 0), up(a, 1)])
  })

  it('have no state when they are added again', async () => {
    const { observe, events } = await watched(`${a} ${b}`)
    await observe({ [a]: 'failing', [b]: 'ready' })
    await change(b)
    await observe({ [b]: 'ready' })
    await change(`${b} ${a}`)
    await observe({ [a]: 'failing', [b]: 'ready' })
    expect(await events()).toEqual([down(a, 0), down(a, 1)])
    await change(b)
    await observe({ [b]: 'ready' })
    await change(`${b} ${a}`)
    await observe({ [a]: 'ready', [b]: 'ready' })
    expect(await events()).toEqual([down(a, 0), down(a, 1)])
  })
})
