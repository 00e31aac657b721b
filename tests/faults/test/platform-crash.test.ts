import { postgresPrograms, startPostgres } from '@fairlead/vitest/postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { figure } from './figure.ts'
import { startPlainNode } from './plain-node.ts'
import { callPlatform, openReader, type PlatformObject } from './platform/platform-calls.ts'
import { type RestartedGateway, restartedGateway, type RunningGateway } from './platform/restarted-gateway.ts'
import { type Acknowledged, writeUntilKilled } from './platform/writers.ts'

const kills = Number(process.env['FAIRLEAD_KILLS'] ?? 1)
const patience = { timeout: 20_000, interval: 20 }

let node: Awaited<ReturnType<typeof startPlainNode>>
beforeAll(async () => {
  node = await startPlainNode()
})
afterAll(() => node.close())

const stores: readonly { readonly name: string; readonly isAvailable: boolean }[] = [
  { name: 'the embedded database', isAvailable: true },
  { name: 'PostgreSQL', isAvailable: postgresPrograms !== undefined },
]

// The writers create more records, and faster, than an organization may by default.
const highLimits = {
  FAIRLEAD_MAX_PROJECTS_PER_ORGANIZATION: '1000000',
  FAIRLEAD_MAX_NODES_PER_ORGANIZATION: '1000000',
  FAIRLEAD_MAX_CREDENTIALS_PER_ORGANIZATION: '1000000',
  FAIRLEAD_MAX_CREDENTIALS_PER_NODE: '1000000',
  FAIRLEAD_MAX_NEW_CREDENTIALS_PER_MINUTE: '1000000',
}

describe.each(stores.filter(({ isAvailable }) => isAvailable))(
  'kill -9 of a gateway with $name',
  ({ name }) => {
    it(
      'loses no acknowledged change, and leaves no partial change',
      { timeout: 120_000 + kills * 30_000 },
      async () => {
        const environment = {
          FAIRLEAD_EVM_UPSTREAM: node.url,
          ...highLimits,
          ...(await databaseOf(name)),
        }
        const restarted = await restartedGateway(environment)
        onTestFinished(() => restarted.remove())
        const acknowledged: Acknowledged = { projects: [], nodes: [], credentials: [], version: 1 }
        let gateway = await restarted.start()
        const target = await prepared(gateway)
        for (let round = 0; round < kills; round++) {
          // A different number of acknowledged changes in each round, but the same in every run.
          const killAfter = acknowledged.version + ((round * 7) % 23)
          const writing = writeUntilKilled(gateway, { ...target, upstream: node.url }, acknowledged)
          await vi.waitFor(() => expect(acknowledged.version).toBeGreaterThan(killAfter), {
            ...patience,
            interval: 1,
          })
          await gateway.end('SIGKILL')
          await writing
          gateway = await restarted.start()
          const { etag } = await callPlatform(gateway, 'GET', `/v2/projects/${target.project}/`)
          expect(Number(etag?.slice(1, -1))).toBeGreaterThanOrEqual(acknowledged.version)
        }
        const { projects, nodes, credentials, version } = acknowledged
        figure(`${kills} kills over ${name}`, {
          projects: projects.length,
          nodes: nodes.length,
          credentials: credentials.length,
          changes: version - 1,
        })
        expect(await missing(gateway, acknowledged)).toEqual([])
        expect(await halfDone(gateway, target.project)).toEqual([])
        await gateway.end('SIGTERM')
      },
    )
  },
)

async function databaseOf(name: string): Promise<Readonly<Record<string, string>>> {
  if (name !== 'PostgreSQL') return {}
  const postgres = await startPostgres(postgresPrograms ?? '')
  onTestFinished(() => postgres.stop())
  return { DATABASE_URL: postgres.url }
}

async function prepared(
  gateway: RunningGateway,
): Promise<{ readonly project: string; readonly node: string }> {
  const project = await callPlatform(gateway, 'POST', '/v2/projects/', { name: 'Changed' })
  const nodes = await callPlatform(gateway, 'GET', '/v2/nodes/')
  const [first] = nodes.body['results'] as readonly PlatformObject[]
  if (first === undefined) throw new Error('There is no first node.')
  return { project: project.body.id, node: first.id }
}

/** Returns acknowledged changes that are missing. */
async function missing(gateway: RunningGateway, acknowledged: Acknowledged): Promise<readonly string[]> {
  const { list } = openReader(gateway)
  const known = new Set<string>()
  for (const path of ['/v2/projects/', '/v2/nodes/']) for (const { id } of await list(path)) known.add(id)
  for (const nodeId of new Set(acknowledged.credentials.map((credential) => credential.node))) {
    for (const { id } of await list(`/v2/nodes/${nodeId}/credentials/`)) known.add(id)
  }
  const { projects, nodes, credentials } = acknowledged
  return [...projects, ...nodes, ...credentials.map(({ id }) => id)].filter((id) => !known.has(id))
}

/**
 * Returns partial changes: changes without an entry in the audit log, entries without a change, and nodes without their
 * credentials.
 */
async function halfDone(gateway: RunningGateway, changed: string): Promise<readonly string[]> {
  const { get, list } = openReader(gateway)
  const entries = await list('/v2/audit-log/')
  const idsOf = (action: string) =>
    entries
      .filter((entry) => entry['action'] === action)
      .map((entry) => (entry['object'] as PlatformObject).id)
  const differences: string[] = []
  const differing = (label: string, actual: readonly string[], audited: readonly string[]) => {
    const [a, b] = [new Set(actual), new Set(audited)]
    for (const id of actual) if (!b.has(id)) differences.push(`${label} ${id} is not in the log`)
    for (const id of audited) if (!a.has(id)) differences.push(`${label} ${id} is in the log only`)
  }
  // Objects of the first start are not in the log.
  const written = (objects: readonly PlatformObject[]) =>
    objects.filter((object) => ['Written', 'Changed'].includes(String(object['name'])))
  const [projects, nodes] = [written(await list('/v2/projects/')), written(await list('/v2/nodes/'))]
  differing(
    'project',
    projects.map(({ id }) => id),
    idsOf('project.create'),
  )
  differing(
    'node',
    nodes.map(({ id }) => id),
    idsOf('node.create'),
  )
  const created = new Set(idsOf('credential.create'))
  const rotated = new Set(idsOf('credential.rotate'))
  const all = await list('/v2/nodes/')
  for (const { id: nodeId, name } of all) {
    const credentials = await list(`/v2/nodes/${nodeId}/credentials/`)
    if (name === 'Written') {
      const kinds = credentials.map((credential) => String(credential['kind'])).toSorted()
      if (kinds.join() !== 'basic,token') differences.push(`node ${nodeId} has ${kinds.join()}`)
    }
    for (const credential of credentials.filter(({ label }) => name === 'Written' || label === 'Written')) {
      if (!created.delete(credential.id)) differences.push(`credential ${credential.id} is not in the log`)
      // A replaced credential has an expiry, any other has none.
      if (rotated.delete(credential.id) !== (credential['expires_at'] !== null))
        differences.push(`credential ${credential.id} is half replaced`)
    }
  }
  for (const id of [...created, ...rotated]) differences.push(`credential ${id} is in the log only`)
  const { etag } = await get(`/v2/projects/${changed}/`)
  const changes = idsOf('project.update').length
  if (etag !== `"${changes + 1}"`) differences.push(`version ${etag} after ${changes} changes in the log`)
  return differences
}

describe.skipIf(postgresPrograms === undefined)('two gateways with one PostgreSQL', () => {
  it('apply the changes of each other', async () => {
    const postgres = await startPostgres(postgresPrograms ?? '')
    onTestFinished(() => postgres.stop())
    const environment = {
      DATABASE_URL: postgres.url,
      FAIRLEAD_SECRET_KEY: '5a'.repeat(32),
      FAIRLEAD_EVM_UPSTREAM: node.url,
    }
    const [firstGateway, secondGateway] = [
      await restartedGateway(environment),
      await restartedGateway(environment),
    ]
    onTestFinished(() => Promise.all([firstGateway.remove(), secondGateway.remove()]).then(() => undefined))
    const target = await running(firstGateway)
    const { url } = await running(secondGateway, target.apiKey)
    const send = (method: string, path: string, body?: unknown) => callPlatform(target, method, path, body)
    const statusOf = async (token: string) => {
      const body = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${url}/${token}`, { method: 'POST', headers, body })
      await response.arrayBuffer()
      return response.status
    }
    const inForce = async (label: string, token: string, status: number) => {
      const since = performance.now()
      await vi.waitFor(async () => expect([label, await statusOf(token)]).toEqual([label, status]), patience)
      figure(`${label} is in force in the other gateway after ms`, Math.round(performance.now() - since))
    }
    const { project } = await prepared(target)
    const upstreams = { evm: node.url }
    const nodeBody = { project, name: 'Written', chain: 'ethereum', network: 'mainnet', upstreams }
    const made = await send('POST', '/v2/nodes/', nodeBody)
    const path = `/v2/nodes/${made.body.id}/`
    const tokenOf = (body: PlatformObject) => String(body['token'])
    const [first] = made.body['credentials'] as readonly PlatformObject[]
    if (first === undefined) throw new Error('The node has no credential.')
    await inForce('a node', tokenOf(first), 200)

    const second = await send('POST', `${path}credentials/`, { kind: 'token' })
    await inForce('a credential', tokenOf(second.body), 200)
    await send('DELETE', `${path}credentials/${second.body.id}/`)
    await inForce('its deletion', tokenOf(second.body), 401)

    const rule = await send('POST', `${path}access-rules/`, {
      kind: 'method',
      value: 'eth_gasPrice',
      action: 'deny',
    })
    await inForce('a rule', tokenOf(first), 403)
    await send('DELETE', `${path}access-rules/${rule.body.id}/`)
    await inForce('its deletion', tokenOf(first), 200)

    await send('PUT', `${path}limits/`, { max_body_bytes: 10 })
    await inForce('a limit', tokenOf(first), 413)
    await send('PUT', `${path}limits/`, {})
    await inForce('its deletion', tokenOf(first), 200)

    await send('DELETE', path)
    await inForce('the deletion of a node', tokenOf(first), 401)
  })
})

/** Starts a gateway that runs until the test ends. */
async function running(gateway: RestartedGateway, knownKey?: string): Promise<RunningGateway> {
  const started = await gateway.start(knownKey)
  onTestFinished(async () => {
    await started.end('SIGTERM')
  })
  return started
}
