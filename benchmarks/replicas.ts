// Several gateways with one PostgreSQL and one Redis, behind a load balancer: how exact their shared limits are, how
// soon each gateway rejects a revoked credential, whether their usage adds up, and the benefit of a second process for
// one of them.
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { readFlags } from './fixtures/read-flags.ts'
import { hasPostgresql, openSqlSession, type SqlSession, startPostgresql } from './fixtures/postgresql.ts'
import { type Redis, startRedis } from './fixtures/redis.ts'
import { startBalancer } from './fixtures/replica-balancer.ts'
import {
  allOutcomes,
  callBusily,
  callNode,
  callSteadily,
  hangUp,
  waitUntilAccepted,
} from './fixtures/replica-calls.ts'
import { compareProcesses } from './fixtures/replica-processes.ts'
import { type Replica, startReplica, writeCredentials } from './fixtures/replica.ts'
import { type Register, withServers } from './fixtures/replica-run.ts'
import { startSizedNode } from './fixtures/sized-node.ts'

const flags = readFlags(import.meta.filename, {
  seconds: { type: 'string', default: '10', description: 'of each load' },
  replicas: { type: 'string', default: '3', description: 'gateways behind the load balancer' },
  rate: {
    type: 'string',
    default: '100',
    description: 'calls in a second of the limited credential; three times as many are made',
  },
  burst: { type: 'string', default: '100', description: 'its burst' },
  rounds: { type: 'string', default: '20', description: 'credentials that are revoked' },
  only: { type: 'string', default: 'limits,revocation,usage,processes', description: 'some of these' },
})
const [seconds, count] = [Number(flags.seconds), Number(flags.replicas)]
const [rate, burst, rounds] = [Number(flags.rate), Number(flags.burst), Number(flags.rounds)]
if ([seconds, count, rate, burst, rounds].some((value) => !(value > 0))) {
  throw new Error('Every flag but --only takes a number above zero.')
}
const only = new Set(flags.only.split(','))
const overload = 3
// A request appears in the report within ten seconds.
const reportedWithinMs = 12_000
// Replicas register in the store, and read the list of the others, every two seconds.
const countedWithinMs = 4_500

const has = (program: string, version: string) => spawnSync(program, [version]).error === undefined
const missing = [
  ...(hasPostgresql ? [] : ['PostgreSQL (initdb, postgres, psql)']),
  ...(has('redis-server', '--version') ? [] : ['redis-server']),
  ...(has('nginx', '-v') ? [] : ['nginx']),
  ...(has('wrk', '-v') ? [] : ['wrk']),
]
if (missing.length > 0) {
  console.error(`This benchmark needs what is missing here: ${missing.join(', ')}.`)
  process.exit(1)
}

await withServers(run)

async function run(register: Register): Promise<void> {
  progress('starting PostgreSQL, Redis and a node')
  const [postgresql, redis, node] = await Promise.all([
    register(startPostgresql()),
    register(startRedis()),
    register(startSizedNode([])),
  ])
  const environment = {
    DATABASE_URL: postgresql.url,
    FAIRLEAD_VALKEY_URL: redis.url,
    FAIRLEAD_SECRET_KEY: randomBytes(32).toString('hex'),
    FAIRLEAD_EVM_UPSTREAM: `${node.url}/0.2`,
    // Credentials that do not grant access yet, or no longer do, are what is measured here.
    FAIRLEAD_MAX_UNKNOWN_CREDENTIALS: '1000000',
  }
  progress(`starting ${count} replicas`)
  const first = await register(startReplica(environment, true))
  const others = Array.from({ length: count - 1 }, () => register(startReplica(environment)))
  const replicas = [first, ...(await Promise.all(others))]
  const sql = await register(openSqlSession(postgresql.url))
  const balancer = await register(startBalancer(replicas.map(({ url }) => url)))
  await pause(countedWithinMs)

  if (only.has('limits')) await compareLimits(sql, redis, replicas, balancer.url)
  if (only.has('revocation')) await measureRevocation(sql, replicas)
  if (only.has('usage')) await compareUsage(sql, replicas, balancer.url, first.apiKey)
  hangUp()
  for (const replica of replicas) await replica.stop()
  if (only.has('processes')) await compareProcesses(sql, register, environment, seconds)
}

async function compareLimits(
  sql: SqlSession,
  redis: Redis,
  replicas: readonly Replica[],
  url: string,
): Promise<void> {
  const lease = Math.max(1, Math.min(Math.floor(rate / 20), Math.floor(burst / 4)))
  console.log(
    `\nlimits: ${rate} calls in a second, burst ${burst}, ${count} replicas, ${overload} times as many calls`,
  )
  for (const [name, isStoreRunning, slack] of [
    ['counted together', true, 2 * count * lease],
    // The share of each replica is at least one call.
    ['store away', false, Math.max(0, count - burst)],
  ] as const) {
    const [credential] = await writeCredentials(sql, 1, { rate: { requestsPerSecond: rate, burst } })
    await waitUntilAccepted(replicas.map((replica) => `${replica.url}/${credential?.token}`))
    // Until the burst is available again in full.
    await pause((count / rate) * 1_000 + 1_000)
    if (!isStoreRunning) await redis.stop()
    progress(`limits, ${name}`)
    const failuresBefore = await storeFailures(replicas)
    const measured = await callSteadily(`${url}/${credential?.token}`, overload * rate, seconds)
    const failures = (await storeFailures(replicas)) - failuresBefore
    if (!isStoreRunning) await redis.start()
    const maxAdmitted = burst + rate * measured.seconds
    const admitted = measured.outcomes.of(200)
    const over = (admitted / maxAdmitted - 1) * 100
    const bound = Math.floor(maxAdmitted + slack)
    console.log(
      `  ${name.padEnd(17)}${admitted} admitted of ${measured.outcomes.except()} in ${measured.seconds.toFixed(2)} s, ` +
        `burst + rate x seconds is ${Math.floor(maxAdmitted)}: ${over >= 0 ? '+' : ''}${over.toFixed(2)}%, ` +
        `documented at most ${bound} (+${((slack / maxAdmitted) * 100).toFixed(2)}%)` +
        describeUnexpected(measured.outcomes.except(200, 429)),
    )
    if (isStoreRunning && failures > 0) {
      console.log(`  ${' '.repeat(17)}the store did not answer ${failures} times in time: not judged`)
    } else assertMet(admitted <= bound, `${name}: ${admitted} calls are more than ${bound}`)
  }
}

/**
 * Sums the shared-store failures. A replica that finds the store too slow continues on its own for a while, which is
 * not a counting error.
 */
async function storeFailures(replicas: readonly Replica[]): Promise<number> {
  let sum = 0
  for (const { url } of replicas) {
    const text = await (await fetch(`${url}/metrics`)).text()
    sum += Number(/^fairlead_shared_store_failures_total (\S+)/m.exec(text)?.[1] ?? 0)
  }
  return sum
}

async function measureRevocation(sql: SqlSession, replicas: readonly Replica[]): Promise<void> {
  progress('revocation')
  const delays: number[][] = replicas.map(() => [])
  for (const { id, token } of await writeCredentials(sql, rounds)) {
    const urls = replicas.map(({ url }) => `${url}/${token}`)
    await waitUntilAccepted(urls)
    let committedAt = Number.POSITIVE_INFINITY
    const ends = urls.map(async (url, at) => {
      while ((await callNode(url)) === 200) await pause(1)
      delays[at]?.push(performance.now() - committedAt)
    })
    await sql.run(`begin; update node_credentials set revoked_at = clock_timestamp() where id = '${id}'`)
    await pause(20)
    committedAt = performance.now()
    await sql.run('commit')
    await Promise.all(ends)
  }
  console.log(`\nrevocation: from COMMIT to the first 401, ${rounds} rounds`)
  for (const [at, measured] of delays.entries()) {
    console.log(
      `  replica ${at + 1}        min ${ms(Math.min(...measured))}, median ${ms(median(measured))}, max ${ms(Math.max(...measured))}`,
    )
  }
  const max = Math.max(...delays.flat())
  assertMet(max < 1_000, `a revoked credential was in force for ${ms(max)}`)
}

async function compareUsage(
  sql: SqlSession,
  replicas: readonly Replica[],
  url: string,
  apiKey: string,
): Promise<void> {
  const [credential] = await writeCredentials(sql, 1)
  await waitUntilAccepted(replicas.map((replica) => `${replica.url}/${credential?.token}`))
  progress('usage')
  const measured = await callBusily(`${url}/${credential?.token}`, 32, seconds)
  await pause(reportedWithinMs)
  const response = await fetch(
    `${replicas.at(-1)?.url}/v2/reporting/node-usage/?date_from=2020-01-01&date_to=2100-01-01`,
    { headers: { authorization: `Bearer ${apiKey}` } },
  )
  if (!response.ok) throw new Error(`The report failed: status ${response.status}.`)
  const { totals } = (await response.json()) as { totals: { requests: number; failed_requests: number } }
  const reported = totals.requests - totals.failed_requests
  const [accepted, rejected] = [allOutcomes.of(200), allOutcomes.of(429)]
  console.log(
    `\nusage: everything above and ${seconds} s of 32 clients (${Math.round(measured.of(200) / seconds)} calls/s)`,
  )
  console.log(`  accepted, 200    ${accepted} calls, reported ${reported}: ${reported - accepted} apart`)
  console.log(
    `  rejected, 429    ${rejected} calls, reported ${totals.failed_requests}: ${totals.failed_requests - rejected} apart`,
  )
  const isComplete = reported === accepted && totals.failed_requests === rejected
  assertMet(isComplete, 'the reported usage differs from the responses')
  const unexpected = allOutcomes.except(200, 401, 429)
  assertMet(unexpected === 0, `${unexpected} calls ended otherwise than with 200, 401 or 429`)
}

function describeUnexpected(unexpected: number): string {
  return unexpected > 0 ? `, ${unexpected} ENDED OTHERWISE` : ''
}

/** Reports behavior that differs from the documentation, and continues. The benchmark then exits with 1. */
function assertMet(isMet: boolean, message: string): void {
  if (isMet) return
  console.log(`  NOT AS DOCUMENTED: ${message}`)
  process.exitCode = 1
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}

function progress(text: string): void {
  console.error(`... ${text}`)
}
