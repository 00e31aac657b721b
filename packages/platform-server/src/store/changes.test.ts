import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { putAccessRule } from '../records/access-rules.ts'
import { putLimits } from '../records/limits.ts'
import { issueNodeCredential, revokeNodeCredential } from '../records/node-credentials.ts'
import { recordNodeMethods } from '../records/node-methods.ts'
import { setNodeUpstreams } from '../endpoints/set-upstreams.ts'
import { type FirstStart, ensureFirstStart } from '../first-start/first-start.ts'
import { type TemporaryDatabase, backends } from '../testing/temporary-store.ts'
import type { CredentialListener } from './credential-listeners.ts'
import type { Store } from './open-store.ts'
import { protocols } from '../testing/protocols.ts'

const longTimeout = { timeout: 50_000, interval: 5 }

describe.each(backends)('changes of credentials on $name', ({ create }) => {
  let database: TemporaryDatabase
  let store: Store
  let first: FirstStart
  const listener = vi.fn<CredentialListener>()
  const upstreams = { evm: 'http://127.0.0.1:1', beacon: 'http://127.0.0.1:2' }

  beforeAll(async () => {
    database = await create()
    store = await database.open()
    first = await ensureFirstStart(store, { protocols, upstreams })
    store.onCredentialsChanged(listener)
  }, 60_000)
  afterAll(() => database.remove())
  // Notifications of earlier changes may still be pending.
  beforeEach(async () => {
    const upstreamFields = { network: 'devnet', protocols: ['evm', 'beacon'], upstreams }
    await setNodeUpstreams({ ...store, protocols }, first.nodeId, upstreamFields)
    await settle()
    listener.mockClear()
  })

  /** The received changes, without the marks of {@link settle}. */
  function changes(): unknown[] {
    return listener.mock.calls.flatMap<unknown>(([change]) => {
      if (change === 'everything') return [change]
      const nodeIds = change.nodeIds.filter((id) => !id.startsWith('mark-'))
      return nodeIds.length + change.credentialIds.length === 0 ? [] : [{ ...change, nodeIds }]
    })
  }

  /** Waits until all pending notifications have been received, by means of a mark that is sent after them. */
  async function settle(): Promise<void> {
    const mark = `mark-${randomUUID()}`
    await sql`select pg_notify('credentials_changed', ${`node ${mark}`})`.execute(store.db)
    const isReceived = () =>
      listener.mock.calls.some(([change]) => change !== 'everything' && change.nodeIds.includes(mark))
    await vi.waitFor(() => expect(isReceived()).toBe(true), longTimeout)
  }

  /** The distinct changes received after an action: one change may arrive in two reads of the connection. */
  async function changesOf(action: () => Promise<unknown>): Promise<unknown[]> {
    listener.mockClear()
    await action()
    await vi.waitFor(() => expect(listener).toHaveBeenCalled(), longTimeout)
    await settle()
    const distinct: unknown[] = []
    for (const change of changes())
      if (!distinct.some((other) => isDeepStrictEqual(other, change))) distinct.push(change)
    return distinct
  }

  async function expectNoChanges(action: () => Promise<unknown>): Promise<void> {
    listener.mockClear()
    await action()
    await settle()
    expect(changes()).toEqual([])
  }

  const ofNode = () => [{ nodeIds: [first.nodeId], credentialIds: [] }]

  it('report a credential that is issued or revoked', async () => {
    const { nodeId } = first
    let id = ''
    const issued = await changesOf(async () => {
      ;({ id } = await issueNodeCredential(store.db, { nodeId, kind: 'token', origin: 'user' }))
    })
    const ofCredential = [{ nodeIds: [], credentialIds: [id] }]
    expect(issued).toEqual(ofCredential)
    expect(await changesOf(() => revokeNodeCredential(store.db, id))).toEqual(ofCredential)
    await expectNoChanges(() => revokeNodeCredential(store.db, id))
    const limited = () => putLimits(store.db, { kind: 'credential', id }, { maxBatchItems: 3 })
    expect(await changesOf(limited)).toEqual(ofCredential)
    await expectNoChanges(limited)
  })

  it('report a node that moves, and not one that stays', async () => {
    const { nodeId } = first
    const unchanged = { network: 'devnet', protocols: ['evm', 'beacon'], upstreams }
    await expectNoChanges(() => setNodeUpstreams({ ...store, protocols }, nodeId, unchanged))
    const moved = { ...unchanged, upstreams: { evm: 'devnet' } }
    expect(await changesOf(() => setNodeUpstreams({ ...store, protocols }, nodeId, moved))).toEqual(ofNode())
    await expectNoChanges(() => store.db.updateTable('projects').set({ description: 'changed' }).execute())
  })

  it('report the node of a rule, a limit and a method', async () => {
    const { nodeId, projectId } = first
    const rule = { nodeId, kind: 'ip', value: '10.0.0.0/8', action: 'allow' } as const
    expect(await changesOf(() => putAccessRule(store.db, rule))).toEqual(ofNode())
    const removal = () => store.db.deleteFrom('access_rules').where('node_id', '=', nodeId).execute()
    expect(await changesOf(removal)).toEqual(ofNode())
    const limits = { rate: { requestsPerSecond: 5 } }
    expect(await changesOf(() => putLimits(store.db, { kind: 'node', id: nodeId }, limits))).toEqual(ofNode())
    const project = { kind: 'project', id: projectId } as const
    expect(await changesOf(() => putLimits(store.db, project, limits))).toEqual(ofNode())
    expect(await changesOf(() => putLimits(store.db, project, undefined))).toEqual(ofNode())
    const found = { available: false, withheld: true, code: -32601, note: '', latencyMs: null } as const
    const finding = { ...found, method: 'eth_coinbase', transport: 'http' } as const
    const record = () => recordNodeMethods(store.db, store.encryptor, { nodeId, upstreams }, [finding])
    expect(await changesOf(record)).toEqual(ofNode())
  })

  it('report that everything may have changed instead of many ids', async () => {
    const { nodeId } = first
    const manyIds = (count: number, letter: string) =>
      sql`
        insert into node_credentials (id, node_id, kind, sha256, origin)
        select ${letter} || n, ${nodeId}, 'token', encode(sha256((${letter} || n)::bytea), 'hex'), 'user'
        from generate_series(1, cast(${count} as integer)) n`.execute(store.db)
    expect(await changesOf(() => manyIds(101, 'a'))).toEqual(['everything'])
    const [change] = await changesOf(() => manyIds(100, 'b'))
    expect(change).toMatchObject({ nodeIds: [], credentialIds: { length: 100 } })
  })

  it('report committed changes, and none that were rolled back', async () => {
    const { nodeId } = first
    await expectNoChanges(() =>
      store.db
        .transaction()
        .execute(async (db) => {
          await issueNodeCredential(db, { nodeId, kind: 'token', origin: 'user' })
          throw new Error('undone')
        })
        .catch(() => undefined),
    )
  })
})
