// A gateway with 100 and with 1,000,000 credentials in PostgreSQL: startup time, memory, CPU per call, and how long a
// revoked credential still works. DATABASE_URL names a server on which databases may be created. Without it, the
// benchmark starts a server. Both gateways run at the same time and take turns.
import { hash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { readFlags } from './fixtures/read-flags.ts'
import { hasPostgresql, openSqlSession, type SqlSession, startPostgresql } from './fixtures/postgresql.ts'
import { cpuMs, memoryMb } from './fixtures/process-cost.ts'
import { callNode, hangUp } from './fixtures/replica-calls.ts'
import { type Replica, startReplica } from './fixtures/replica.ts'
import { type Register, withServers } from './fixtures/replica-run.ts'
import { startSizedNode } from './fixtures/sized-node.ts'

const flags = readFlags(import.meta.filename, {
  credentials: { type: 'string', default: '1000000', description: 'that are compared with 100' },
  calls: { type: 'string', default: '1000', description: 'of as many credentials in each window' },
  rounds: {
    type: 'string',
    default: '5',
    description: 'credentials that are revoked at rest, and as many while everything is read again',
  },
})
const [credentials, calls, rounds] = [Number(flags.credentials), Number(flags.calls), Number(flags.rounds)]
if ([credentials, calls, rounds].some((value) => !(value > 0))) {
  throw new Error('Every flag takes a number above zero.')
}
const smallCount = 100
const parallel = 8
const warmUpCalls = 1_500
const windows = 4
const rowsPerStatement = 100_000
const { DATABASE_URL: databaseUrl } = process.env
if (!hasPostgresql && databaseUrl === undefined) {
  console.error(
    'This benchmark needs what is missing here: PostgreSQL (initdb, postgres, psql), or DATABASE_URL.',
  )
  process.exit(1)
}
const tokenOf = (at: number) => hash('md5', `token ${at}`)

/** A gateway with a given number of credentials, and its measurements. */
interface Subject {
  readonly count: number
  readonly sql: SqlSession
  readonly gateway: Replica
  readonly startMb: number
  firstUs: number
  repeatedMs: number
}

await withServers(run)

async function run(register: Register): Promise<void> {
  const server = databaseUrl ?? (await register(startPostgresql())).url
  const upstream = `${(await register(startSizedNode([]))).url}/0.2`
  const subjects: Subject[] = []
  for (const count of [smallCount, credentials])
    subjects.push(await prepare(register, server, upstream, count))
  const [small, large] = subjects
  if (!small || !large) return

  progress('calls')
  for (const { gateway } of subjects) await callEach(gateway.url, warmUpCalls, (at) => 1 + (at % smallCount))
  for (const subject of subjects) subject.firstUs = ((await costOf(subject)) * 1_000) / calls
  for (let window = 0; window < windows; window++) {
    for (const subject of subjects) subject.repeatedMs += await costOf(subject)
  }
  for (const { count, gateway, startMb, firstUs, repeatedMs, sql } of subjects) {
    const { url, processId, startMs } = gateway
    const usedMb = memoryMb(processId)
    progress('revocation')
    const restMs = await revoke(sql, url, 1, false)
    const readingMs = await revoke(sql, url, 1 + rounds, true)
    const loadMs = await loadMsOf(url)
    // Reads that were in progress at the time of revocation have finished by then.
    await pause(2 * loadMs)
    for (let at = 1; at <= 2 * rounds; at++) {
      if ((await callNode(`${url}/${tokenOf(at)}`)) !== 401) throw new Error('A revoked credential is back.')
    }
    console.log(
      `${String(count).padStart(9)} credentials: start ${Math.round(startMs)} ms, read again in ${Math.round(loadMs)} ms, ` +
        `${Math.round(startMb)} MB, after calls ${Math.round(usedMb)} MB, CPU of a call ` +
        `${Math.round(firstUs)} us the first time, ${Math.round((repeatedMs * 1_000) / calls / windows)} us again, ` +
        `revoked within ${restMs.toFixed(1)} ms, ${readingMs.toFixed(1)} ms while everything is read`,
    )
  }
  console.log(
    `many to few: CPU of a call ${(large.repeatedMs / small.repeatedMs).toFixed(2)}, of a first one ${(large.firstUs / small.firstUs).toFixed(2)}; ` +
      `${Math.round(((large.startMb - small.startMb) * 1_048_576) / (large.count - small.count))} bytes of memory for a credential`,
  )
  hangUp()
}

/** Creates a database with the given number of credentials, and a gateway that uses it. */
async function prepare(
  register: Register,
  server: string,
  upstream: string,
  count: number,
): Promise<Subject> {
  const database = await register(makeDatabase(server))
  const environment = {
    DATABASE_URL: database.url,
    FAIRLEAD_SECRET_KEY: randomBytes(32).toString('hex'),
    FAIRLEAD_EVM_UPSTREAM: upstream,
    FAIRLEAD_MAX_UNKNOWN_CREDENTIALS: '1000000',
  }
  progress(`a database for ${count} credentials`)
  // Migrates the schema and creates the node.
  const first = await register(startReplica(environment))
  await first.stop()
  const sql = await register(openSqlSession(database.url))
  await fill(sql, count)
  progress(`starting a gateway with ${count} credentials`)
  const gateway = await register(startReplica(environment))
  return { count, sql, gateway, startMb: memoryMb(gateway.processId), firstUs: 0, repeatedMs: 0 }
}

async function makeDatabase(server: string) {
  const name = `fairlead_directory_${randomBytes(4).toString('hex')}`
  const sql = await openSqlSession(server)
  await sql.run(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const stop = async () => {
    await sql.run(`drop database ${name} with (force)`)
    await sql.stop()
  }
  return { url: url.href, stop }
}

/** No gateway runs meanwhile, so notifications and foreign-key checks, which take most of the time, are not needed. */
async function fill(sql: SqlSession, count: number): Promise<void> {
  const began = performance.now()
  const isSuperuser = await sql.run("select current_setting('is_superuser')")
  if (isSuperuser === 'on') await sql.run('set session_replication_role = replica')
  for (let done = 0; done < count; done += rowsPerStatement) {
    await sql.run(`insert into node_credentials (id, node_id, kind, sha256, origin)
      select 'CR-' || n, (select id from nodes where managed_by = 'configuration'), 'token',
        encode(sha256(convert_to(md5('token ' || n), 'UTF8')), 'hex'), 'user'
      from generate_series(${done + 1}, ${Math.min(count, done + rowsPerStatement)}) n on conflict do nothing`)
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    progress(`${Math.min(count, done + rowsPerStatement)} of ${count} credentials written in ${seconds} s`)
  }
  if (isSuperuser === 'on') await sql.run('set session_replication_role = default')
  await sql.run('vacuum analyze node_credentials')
}

/** The duration of the last full read of all credentials, in milliseconds. */
async function loadMsOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^fairlead_directory_load_seconds (\S+)/m.exec(text)?.[1]) * 1_000
}

/** Revokes some credentials one after the other. Returns the longest time from COMMIT to the first 401. */
async function revoke(sql: SqlSession, url: string, from: number, isReading: boolean): Promise<number> {
  const delays: number[] = []
  for (let at = from; at < from + rounds; at++) {
    if (isReading) {
      // An empty notification requests a full read.
      await sql.run("select pg_notify('credentials_changed', '')")
      await pause(20)
    }
    await sql.run(`begin; update node_credentials set revoked_at = clock_timestamp() where id = 'CR-${at}'`)
    const began = performance.now()
    const committed = sql.run('commit')
    while ((await callNode(`${url}/${tokenOf(at)}`)) === 200) await pause(1)
    delays.push(performance.now() - began)
    await committed
  }
  return Math.max(...delays)
}

async function callEach(url: string, total: number, credentialOf: (at: number) => number): Promise<void> {
  let next = 0
  const client = async () => {
    while (next < total) {
      const status = await callNode(`${url}/${tokenOf(credentialOf(next++))}`)
      if (status !== 200) throw new Error(`A call failed: status ${status}.`)
    }
  }
  await Promise.all(Array.from({ length: parallel }, client))
}

/** CPU milliseconds for a window of calls, each with a different credential as long as there are unused ones. */
async function costOf({ count, gateway }: Subject): Promise<number> {
  const before = cpuMs(gateway.processId)
  await callEach(gateway.url, calls, (at) => 1 + ((at * 7_919) % count))
  return cpuMs(gateway.processId) - before
}

function progress(text: string): void {
  console.error(`... ${text}`)
}
