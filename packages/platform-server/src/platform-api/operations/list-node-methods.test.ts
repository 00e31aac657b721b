import { sql } from 'kysely'
import { methods } from '@fairlead/evm-rpc/contract'
import type { Method } from '@fairlead/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUnits } from '@fairlead/gateway-core/usage/units'
import type { NodeMethodFinding } from '@fairlead/gateway-core/protocol/method-availability'
import { deleteNodeMethods, nodesToProbe, recordNodeMethods } from '../../records/node-methods.ts'
import { setNodeUpstreams } from '../../endpoints/set-upstreams.ts'
import { insertNode } from '../../records/nodes.ts'
import { encryptUpstreams } from '../../records/encrypted-upstreams.ts'
import { insertOrganization, insertOwner } from '../../records/organizations.ts'
import { insertProject } from '../../records/projects.ts'
import { loadNodeCredentials } from '../../store/load-node-credentials.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { describeInOrder } from '../../testing/describe-in-order.ts'
import type { TemporaryDatabase } from '../../testing/temporary-store.ts'
import { nodeMethods } from './node-methods.ts'
import type { Success } from '../platform-call.ts'
import { protocols } from '../../testing/protocols.ts'
import { methodsOfChain } from '@fairlead/gateway-evm/methods/chain-methods'

type Page = Success<'listNodeMethods'>

const upstreams = { evm: 'devnet' }

function finding(method: string, rest: Partial<NodeMethodFinding> = {}): NodeMethodFinding {
  const found = { available: true, withheld: false, code: null, note: '', latencyMs: 1.25 }
  return { method, transport: 'http', ...found, ...rest }
}

const missing = { available: false, withheld: true, code: -32601, note: 'not offered by the node' }

describeInOrder('GET /v2/nodes/{id}/methods/', (create) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  let nodeId: string
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database)
    nodeId = fixture.first.nodeId
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  const path = (id = nodeId) => `/v2/nodes/${id}/methods/`

  async function allMethods(): Promise<Page['results']> {
    const results: Page['results'] = []
    for (let url: string | null = path(); url !== null;) {
      const response = await fixture.call(url)
      expect(response.statusCode).toBe(200)
      const page: Page = response.json()
      results.push(...page.results)
      url = page.next === null ? null : page.next.replace(/^https?:\/\/[^/]+/, '')
    }
    return results
  }

  const findMethod = async (method: string, transport = 'http') =>
    (await allMethods()).find((row) => row.method === method && row.transport === transport)

  it('lists the methods of the contract before the node is probed', async () => {
    const results = await allMethods()
    expect(results.length).toBeGreaterThan(70)
    const all: readonly Method[] = Object.values(methods)
    const names = all.flatMap(({ name, transports = ['http', 'websocket'] }) =>
      transports.map((transport) => `${name} ${transport}`),
    )
    const listed = results.map(({ method, transport }) => `${method} ${transport}`)
    expect(listed).toEqual(listed.toSorted())
    expect(new Set(listed).size).toBe(listed.length)
    expect(names).toEqual(expect.arrayContaining(listed))
    for (const row of results) {
      expect(row).toMatchObject({ available: null, units: 1, note: '', latency_ms: null, probed_at: null })
    }
  })

  it('returns the probe results of the methods', async () => {
    const timeout = finding('eth_call', { transport: 'websocket', code: 3, note: 'execution failed' })
    await recordNodeMethods(fixture.store.db, fixture.store.encryptor, { nodeId, upstreams }, [
      finding('eth_accounts'),
      finding('eth_getProof', missing),
      timeout,
    ])
    expect(await findMethod('eth_accounts')).toEqual({
      method: 'eth_accounts',
      path: '',
      transport: 'http',
      available: true,
      units: 1,
      note: '',
      latency_ms: 1.25,
      probed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    })
    expect(await findMethod('eth_getProof')).toMatchObject({
      available: false,
      note: 'not offered by the node',
    })
    expect(await findMethod('eth_call')).toMatchObject({ available: null })
    expect(await findMethod('eth_call', 'websocket')).toMatchObject({
      available: true,
      note: 'execution failed',
    })
  })

  it('replaces results of a new probe and keeps the others', async () => {
    const before = await findMethod('eth_accounts')
    await recordNodeMethods(fixture.store.db, fixture.store.encryptor, { nodeId, upstreams }, [
      finding('eth_getProof'),
    ])
    expect(await findMethod('eth_getProof')).toMatchObject({ available: true, note: '' })
    expect(await findMethod('eth_accounts')).toEqual(before)
    await recordNodeMethods(fixture.store.db, fixture.store.encryptor, { nodeId, upstreams }, [])
    expect(await findMethod('eth_accounts')).toEqual(before)
  })

  it('records nothing for a node that was deleted or has moved', async () => {
    const { db, encryptor } = fixture.store
    const count = async () => (await db.selectFrom('node_methods').select('method').execute()).length
    const before = await count()
    await recordNodeMethods(db, encryptor, { nodeId, upstreams: { evm: 'http://127.0.0.1:1' } }, [
      finding('net_version'),
    ])
    await recordNodeMethods(db, encryptor, { nodeId: 'ND-000', upstreams }, [finding('net_version')])
    expect(await count()).toBe(before)
  })

  it('makes the gateway withhold exactly the methods that are missing on every transport', async () => {
    const { db, encryptor } = fixture.store
    await recordNodeMethods(db, encryptor, { nodeId, upstreams }, [
      finding('eth_getProof', missing),
      finding('eth_getProof', { ...missing, transport: 'websocket' }),
      finding('eth_syncing', missing),
      finding('eth_syncing', { transport: 'websocket' }),
      finding('eth_sendRawTransaction', { available: false, note: 'refused' }),
      finding('eth_newFilter', missing),
    ])
    const grants = (await loadNodeCredentials(db, encryptor)).map(({ grant }) => grant)
    expect(grants.length).toBeGreaterThan(1)
    for (const grant of grants) expect(grant.withheldMethods).toEqual(['eth_getProof', 'eth_newFilter'])
  })

  it('finds the nodes that were not probed for a day', async () => {
    const { db, encryptor } = fixture.store
    const dueNodes = async (...age: [minutes: number, nodeId?: string]) =>
      (await nodesToProbe(db, encryptor, ['evm'], ...age)).map((node) => [node.nodeId, node.isDue])
    expect(await dueNodes(1_440)).toEqual([[nodeId, false]])
    await db
      .updateTable('node_methods')
      .set({ probed_at: sql`now() - interval '30 minutes'` })
      .execute()
    expect(await dueNodes(1_440)).toEqual([[nodeId, false]])
    expect(await dueNodes(10, nodeId)).toEqual([[nodeId, true]])
    expect(await dueNodes(10, 'ND-000')).toEqual([])
    await recordNodeMethods(db, encryptor, { nodeId, upstreams }, [finding('eth_accounts')])
    expect(await dueNodes(10)).toEqual([[nodeId, false]])
    await deleteNodeMethods(db, nodeId)
    expect(await dueNodes(1_440)).toEqual([[nodeId, true]])
    await db
      .updateTable('nodes')
      .set({ protocols: ['beacon'] })
      .where('id', '=', nodeId)
      .execute()
    expect(await dueNodes(10)).toEqual([])
  })

  it('deletes the results when the node moves', async () => {
    const moved = { network: 'devnet', protocols: ['evm'], upstreams: { evm: 'http://127.0.0.1:1' } }
    await setNodeUpstreams({ ...fixture.store, protocols }, nodeId, moved)
    expect((await allMethods()).filter(({ available }) => available !== null)).toEqual([])
    for (const { grant } of await loadNodeCredentials(fixture.store.db, fixture.store.encryptor)) {
      expect(grant).not.toHaveProperty('withheldMethods')
    }
  })

  it('has the same page size as every list', async () => {
    const { count, next, previous, results } = (await fixture.call(path())).json<Page>()
    expect([results.length, previous]).toEqual([Math.min(count, 100), null])
    expect(next === null).toBe(count <= 100)
    const last = Math.ceil(count / 100)
    const final = (await fixture.call(`${path()}?page=${last}`)).json<Page>()
    expect(final.next).toBeNull()
    expect(final.count).toBe(count)
    for (const page of [String(last + 1), '0', 'x', '']) {
      const response = await fixture.call(`${path()}?page=${page}`)
      expect(response.statusCode).toBe(404)
      expect(response.json()).toMatchObject({ error: { code: 'not_found', message: 'Invalid page.' } })
    }
  })

  it('has the node in its links, whatever its name', async () => {
    const { db, encryptor } = fixture.store
    const { projectId, organizationId } = fixture.first
    const row = {
      organization_id: organizationId,
      project_id: projectId,
      name: 'n',
      name_folded: 'n',
      chain: 'evm',
      network: 'n',
      protocols: ['evm'],
    }
    await db
      .insertInto('nodes')
      .values({ ...row, id: 'a b/c?', upstreams: encryptUpstreams(encryptor, 'a b/c?', {}) })
      .execute()
    const response = await fixture.call('/v2/nodes/a%20b%2Fc%3F/methods/', {
      headers: { host: 'api.example' },
    })
    const { count, next } = response.json<Page>()
    const expected = 'http://api.example/v2/nodes/a%20b%2Fc%3F/methods/?page=2'
    expect(next).toBe(count > 100 ? expected : null)
  })

  it('responds for a node of another organization as if it did not exist', async () => {
    const { db, encryptor } = fixture.store
    const organizationId = await insertOrganization(db, 'Other')
    const owner = { email: 'other@example.test', firstName: 'O', lastName: 'T' }
    const creatorId = await insertOwner(db, organizationId, owner)
    const project = { organizationId, creatorId, name: 'P', description: '', type: 'public' } as const
    const projectId = await insertProject(db, project)
    const node = { projectId, name: 'n', chain: 'evm', network: 'n', protocols: ['evm'], upstreams: {} }
    const foreign = await insertNode(db, encryptor, node)
    for (const id of [foreign, 'ND-000-000-000', '%00', 'x'.repeat(99), '%2e%2e']) {
      const response = await fixture.call(path(id))
      expect(response.statusCode).toBe(404)
      expect(response.json()).toMatchObject({ error: { code: 'not_found', message: 'Not found.' } })
    }
    expect((await fixture.anonymous(path(foreign))).statusCode).toBe(401)
  })
})

const evm = { name: 'evm', methodsOf: methodsOfChain }

describe('the methods of a chain', () => {
  it('are those of every EVM chain when the contract does not list the chain', () => {
    expect(nodeMethods(evm, 'toString', [], createUnits('flat', {}))).toEqual(
      nodeMethods(evm, 'evm', [], createUnits('flat', {})),
    )
  })
})
