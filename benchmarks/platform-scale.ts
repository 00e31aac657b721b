// Lists and reports of an organization with 1,000 projects, nodes and usage rows, and of one with 100,000 projects and
// nodes and 1,000,000 rows: how long each request takes on PostgreSQL and on the embedded database, and which statement
// reads a whole large table. Both gateways run at the same time and take turns.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { readFlags } from './fixtures/read-flags.ts'
import { createPlanLog, planSettings, type TableRead } from './fixtures/plan-log.ts'
import { fillScale, type Run, type Scale } from './fixtures/platform-scale-data.ts'
import { hasPostgresql, openSqlSession, type Postgresql, startPostgresql } from './fixtures/postgresql.ts'
import { type Replica, startReplica } from './fixtures/replica.ts'
import { type Register, withServers } from './fixtures/replica-run.ts'

const flags = readFlags(import.meta.filename, {
  projects: {
    type: 'string',
    default: '100000',
    description: 'projects and nodes that are compared with 1,000',
  },
  usage: { type: 'string', default: '1000000', description: 'rows of usage that are compared with 1,000' },
  rounds: { type: 'string', default: '15', description: 'requests of each kind to each gateway' },
  backend: { type: 'string', default: 'both', description: 'or postgresql, or embedded' },
})
const rounds = Number(flags.rounds)
const smallScale: Scale = { projects: 1_000, usageRows: 1_000 }
const largeScale: Scale = { projects: Number(flags.projects), usageRows: Number(flags.usage) }
if (![rounds, largeScale.projects, largeScale.usageRows].every((value) => value > 0)) {
  throw new Error('Every number has to be above zero.')
}
const backends = flags.backend === 'both' ? ['postgresql', 'embedded'] : [flags.backend]
if (backends.includes('postgresql') && !hasPostgresql) {
  console.error('This benchmark needs what is missing here: PostgreSQL (initdb, postgres, psql).')
  process.exit(1)
}
/** Nodes on the first pages of lists. Only these can be opened. */
const openNodes = 120
/** A statement that reads more rows of a table than this, and more than a tenth of it, reads too many. */
const maxRowsRead = 10_000

const hourMs = 3_600_000
const today = new Date().toISOString().slice(0, 10)
const monthAgo = new Date(Date.now() - 30 * 24 * hourMs).toISOString().slice(0, 10)

/** Requests whose cost must not grow with data that is not in the response. */
const bounded: Readonly<Record<string, string>> = {
  'projects, first page': '/v2/projects/',
  'projects by name': '/v2/projects/?order_by=name',
  'projects, one name': '/v2/projects/?name=Missing',
  'nodes, first page': '/v2/nodes/',
  'nodes by name': '/v2/nodes/?order_by=name',
  'nodes of one project': '/v2/nodes/?project=PR-1&page_size=1&name=Missing',
  'usage of this month': '/v2/reporting/node-usage/',
  'usage of 30 days, months': `/v2/reporting/node-usage/?date_from=${monthAgo}&granularity=month`,
  'usage of today, hours': `/v2/reporting/node-usage/?date_from=${today}&granularity=hour`,
  'usage of one node, 30 days': `/v2/reporting/node-usage/?date_from=${monthAgo}&node_id=ND-7`,
  webhooks: '/v2/webhooks/',
}
/** Requests whose response grows with the data. */
const whole: Readonly<Record<string, string>> = {
  'usage of all time, days': '/v2/reporting/node-usage/?date_from=2020-01-01',
  'usage of all time, methods':
    '/v2/reporting/node-usage/?date_from=2020-01-01&group_by=method&granularity=month',
  'export of all time, days': '/v2/reporting/node-usage/export/?date_from=2020-01-01',
  'export of all time, hours':
    '/v2/reporting/node-usage/export/?date_from=2020-01-01&granularity=hour&group_by=node,method',
}

const plans = createPlanLog()
let server: Postgresql | undefined

await withServers(async (register) => {
  for (const backend of backends) {
    const gateways: Replica[] = []
    for (const scale of [smallScale, largeScale]) {
      gateways.push(
        await (backend === 'postgresql' ? onPostgresql(register, scale) : onEmbedded(register, scale)),
      )
    }
    const [small, large] = gateways
    if (small && large) await compare(backend, small, large)
    for (const gateway of gateways) await gateway.stop()
  }
})

async function onPostgresql(register: Register, scale: Scale): Promise<Replica> {
  server ??= await register(startPostgresql(planSettings, plans.append))
  const admin = await register(openSqlSession(server.url))
  const name = `scale_${scale.usageRows}`
  await admin.run(`create database ${name}`)
  const url = new URL(server.url)
  url.pathname = `/${name}`
  const environment = { ...keyed(), DATABASE_URL: url.href }
  const first = await register(startReplica(environment, true))
  await openSome(first)
  await first.stop()
  const sql = await register(openSqlSession(url.href))
  await sql.run('set session_replication_role = replica')
  await fill((statement) => sql.run(statement), scale)
  await sql.stop()
  return { ...(await register(startReplica(environment))), apiKey: first.apiKey }
}

async function onEmbedded(register: Register, scale: Scale): Promise<Replica> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-scale-'))
  await register(Promise.resolve({ stop: () => rm(folder, { recursive: true, force: true }) }))
  const environment = { ...keyed(), FAIRLEAD_DATA_DIRECTORY: folder, DATABASE_URL: '' }
  const first = await register(startReplica(environment, true))
  await openSome(first)
  await first.stop()
  const pglite = await PGlite.create(join(folder, 'control'))
  await pglite.exec('set session_replication_role = replica')
  await fill((statement) => pglite.exec(statement), scale)
  await pglite.close()
  return { ...(await register(startReplica(environment))), apiKey: first.apiKey }
}

function keyed() {
  const FAIRLEAD_SECRET_KEY = randomBytes(32).toString('hex')
  return { FAIRLEAD_SECRET_KEY, FAIRLEAD_EVM_UPSTREAM: 'http://127.0.0.1:1' }
}

async function fill(run: Run, scale: Scale): Promise<void> {
  const began = performance.now()
  await fillScale(run, scale)
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  progress(`${scale.projects} projects and ${scale.usageRows} rows of usage written in ${seconds} s`)
}

/** Creates the nodes that the first pages show. */
async function openSome(gateway: Replica): Promise<void> {
  const { body: list } = await read(gateway, '/v2/projects/')
  const { results } = list as { results: { id: string }[] }
  const project = results[0]?.id
  for (let at = 0; at < openNodes; at++) {
    const body = {
      project,
      name: `A ${at}`,
      chain: 'evm',
      network: 'mainnet',
      upstreams: { evm: 'http://127.0.0.1:1' },
    }
    const headers = { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' }
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(`${gateway.url}/v2/nodes/`, request)
    if (response.status !== 201)
      throw new Error(`Creating a node failed: ${response.status}: ${await response.text()}`)
  }
}

async function compare(backend: string, small: Replica, large: Replica): Promise<void> {
  console.log(`${backend}: milliseconds with ${smallScale.usageRows} and ${largeScale.usageRows} rows`)
  for (const [kind, requests] of Object.entries({ bounded, whole })) {
    for (const [name, path] of Object.entries(requests)) {
      const times: [number[], number[]] = [[], []]
      // Long requests need neither repetition nor warm-up.
      const [first, turns] = kind === 'whole' ? [0, 1] : [-2, rounds]
      for (let round = first; round < turns; round++) {
        for (const [at, gateway] of [small, large].entries()) {
          const { ms } = await read(gateway, path)
          if (round >= 0) times[at]?.push(ms)
        }
      }
      const [smallMs, largeMs] = times.map(median)
      console.log(
        `  ${name.padEnd(28)} ${format(smallMs)} ${format(largeMs)}   ratio ${((largeMs ?? 0) / (smallMs ?? 1)).toFixed(2)}`,
      )
    }
  }
  if (server && backend === 'postgresql') await checkPlans(server, large)
}

/** Fails when a request whose cost must not grow reads a large part of a large table. */
async function checkPlans({ url }: Postgresql, gateway: Replica): Promise<void> {
  const sizes: Readonly<Record<string, number>> = {
    projects: largeScale.projects,
    nodes: largeScale.projects,
    usage_hours: largeScale.usageRows,
    usage_days: largeScale.usageRows / 24,
  }
  const admin = await openSqlSession(url)
  await admin.run('alter system set auto_explain.log_min_duration = 0')
  await admin.run('select pg_reload_conf()')
  await pause(500)
  for (const [name, path] of Object.entries(bounded)) {
    plans.begin()
    await read(gateway, path)
    // The server writes its log with a delay.
    await pause(200)
    for (const { table, kind, rows } of plans.end().filter((tableRead) => isTooMuch(tableRead, sizes))) {
      console.log(`  ${name}: ${kind} reads ${rows} rows of ${table}`)
      process.exitCode = 1
    }
  }
}

function isTooMuch(
  { table, kind, isCounted, rows }: TableRead,
  sizes: Readonly<Record<string, number>>,
): boolean {
  const size = sizes[table] ?? 0
  // A list contains the total count, which requires a scan of all rows.
  if (isCounted || size < maxRowsRead) return false
  return kind === 'Seq Scan' || rows > Math.max(maxRowsRead, size / 10)
}

/** Reads a response to the end, and retries while the gateway responds with 429. Returns the body if it is JSON. */
async function read({ url, apiKey }: Replica, path: string): Promise<{ body: unknown; ms: number }> {
  for (;;) {
    const began = performance.now()
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${apiKey}` } })
    if (response.status === 429) {
      await response.body?.cancel()
      await pause(1_000 * Number(response.headers.get('retry-after')))
      continue
    }
    if (!response.ok) throw new Error(`${path} failed: ${response.status}: ${await response.text()}`)
    const isJson = response.headers.get('content-type')?.includes('json') === true
    const body: unknown = isJson ? await response.json() : undefined
    // An export is discarded: it may be larger than the available memory.
    if (!isJson) for await (const _ of response.body ?? []);
    return { body, ms: performance.now() - began }
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function format(ms: number | undefined): string {
  return (ms ?? 0).toFixed(1).padStart(9)
}

function progress(text: string): void {
  console.error(`... ${text}`)
}
