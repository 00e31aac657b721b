import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { hasRedisServer, type Redis, startRedis } from '@fairlead/vitest/redis'
import { figure } from './figure.ts'
import { metricTotal } from './metric.ts'
import { startReadinessProbe } from './readiness-probe.ts'
import { startPlainNode } from './plain-node.ts'
import { type Served, serve } from '@fairlead/e2e-tests/served'
import { type Postgres, postgresPrograms, startPostgres } from '@fairlead/vitest/postgres'
import { type SteadyLoad, steadyLoad } from './steady-load.ts'

const patience = { timeout: 60_000, interval: 100 }
const rate = 40

let node: Awaited<ReturnType<typeof startPlainNode>> | undefined
let postgres: Postgres
let redis: Redis
let gateway: Served
let callUrl: string
/** Successful calls of this file. */
let successes = 0

beforeAll(async () => {
  if (postgresPrograms === undefined || !hasRedisServer) return
  node = await startPlainNode()
  ;[postgres, redis] = await Promise.all([startPostgres(postgresPrograms), startRedis()])
  gateway = await serve({
    DATABASE_URL: postgres.url,
    FAIRLEAD_VALKEY_URL: redis.url,
    FAIRLEAD_PROCESSES: '2',
    FAIRLEAD_EVM_UPSTREAM: node.url,
  })
  callUrl = `${gateway.url}/${gateway.token}`
})
afterAll(async () => {
  await gateway?.end('SIGTERM')
  await gateway?.remove()
  await Promise.all([postgres?.stop(), redis?.kill()])
  node?.close()
})

/** Creates another credential for the node. */
async function newToken(limits?: object): Promise<string> {
  const token = randomBytes(16).toString('hex')
  const id = `NC-${token.slice(0, 9)}`
  const sha256 = createHash('sha256').update(token).digest('hex')
  await postgres.query(
    `insert into node_credentials (id, node_id, kind, sha256, origin) select '${id}', id, 'token', '${sha256}', 'user' from nodes`,
  )
  if (limits !== undefined) {
    await postgres.query(`insert into limits values ('credential', '${id}', '${JSON.stringify(limits)}')`)
  }
  await vi.waitFor(async () => expect(await statusOf(token)).toBe(200), patience)
  return token
}

async function statusOf(token: string): Promise<number> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(`${gateway.url}/${token}`, { method: 'POST', headers, body })
  if (status === 200) successes += 1
  return status
}

/** Starts a load that ends with the test at the latest. */
function startLoad(url: string, clients?: number): SteadyLoad {
  const load = steadyLoad(url, clients)
  onTestFinished(() => load.end())
  return load
}

/** Waits until every load has the given number of additional successful responses. */
async function waitForProgress(responses: number, ...loads: readonly SteadyLoad[]): Promise<void> {
  const before = loads.map((load) => load.successes())
  await vi.waitFor(() => {
    for (const [index, load] of loads.entries()) {
      expect(load.successes()).toBeGreaterThanOrEqual((before[index] ?? 0) + responses)
    }
  }, patience)
}

/** Waits until all processes report that a dependency is available, or one reports that it is not. */
async function waitForDependency(dependency: 'database' | 'shared_store', expected: 0 | 1): Promise<void> {
  const series = `fairlead_dependency_up\\{dependency="${dependency}"\\}`
  await vi.waitFor(async () => expect(await metricTotal(gateway.url, series)).toBe(expected), patience)
}

/** Waits until the body of the readiness check contains a text. */
async function waitForReadiness(text: string): Promise<void> {
  await vi.waitFor(
    async () => expect(await (await fetch(`${gateway.url}/readyz`)).text()).toContain(text),
    patience,
  )
}

/** Waits until the platform reports exactly the successful calls. */
async function waitForReports(): Promise<void> {
  await vi.waitFor(async () => expect(await gateway.reportedCalls()).toBe(successes), patience)
}

/** Ids of the worker processes. */
function workers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        return (
          readFileSync(`/proc/${id}/stat`, 'utf8')
            .replace(/^.*\) /, '')
            .split(' ')[1] === `${gateway.process.pid}`
        )
      } catch {
        return false
      }
    })
    .map(Number)
}

describe.skipIf(postgresPrograms === undefined || !hasRedisServer)(
  'two processes under load (needs PostgreSQL and Redis)',
  // The last test stops the gateway.
  { shuffle: false },
  () => {
    it('continue without the shared store, within the limit of each, and count together when it is back', async () => {
      const limited = startLoad(`${gateway.url}/${await newToken({ rate: { requestsPerSecond: rate } })}`, 10)
      const load = startLoad(callUrl)
      const started = performance.now()
      await waitForProgress(2 * rate, load, limited)
      await redis.kill()
      await waitForDependency('shared_store', 0)
      await waitForReadiness('degraded: the shared store')
      await waitForProgress(2 * rate, load, limited)
      await redis.start()
      await waitForDependency('shared_store', 1)
      await waitForProgress(2 * rate, load, limited)
      await Promise.all([load.end(), limited.end()])
      const seconds = (performance.now() - started) / 1_000
      successes += load.successes() + limited.successes()
      expect(load.failures).toEqual([])
      expect(limited.failures.filter((failure) => !failure.startsWith('429 '))).toEqual([])
      // The bucket is full at the start, and again in an empty store. The bucket of each process is full whenever it
      // has lost the store, which may happen more than once on a busy machine.
      const [lease, replicas] = [rate / 20, 2]
      const losses = gateway.output().match(/shared store unavailable/g)?.length ?? 0
      const maximum =
        rate * seconds + 2 * rate + losses * (rate / replicas + 2 * lease) + 2 * replicas * lease
      figure('shared store away and back', {
        calls: load.successes(),
        limited: limited.successes(),
        maximum: Math.round(maximum),
        rejected: limited.failures.length,
      })
      expect(limited.successes()).toBeLessThanOrEqual(maximum)
      expect(limited.successes()).toBeGreaterThan(rate * seconds * 0.5)
    })

    it('stay ready without the database, apply changes soon after it is back, and lose no call', async () => {
      const revoked = await newToken()
      const load = startLoad(callUrl)
      const probe = startReadinessProbe(gateway.url)
      onTestFinished(() => probe.end())
      await waitForProgress(20, load)
      await postgres.end()
      const platform = () =>
        fetch(`${gateway.url}/v2/projects/`, { headers: { authorization: `Bearer ${gateway.apiKey}` } })
      await waitForDependency('database', 0)
      await waitForReadiness('degraded: the database')
      await waitForProgress(100, load)
      const checks = probe.checks() + 2 * probe.failureThreshold
      await vi.waitFor(() => expect(probe.checks()).toBeGreaterThanOrEqual(checks), patience)
      expect(await statusOf(revoked)).toBe(200)
      expect((await platform()).status).toBe(503)
      await postgres.start()
      const restored = performance.now()
      await postgres.query(
        `update node_credentials set revoked_at = now() where id = 'NC-${revoked.slice(0, 9)}'`,
      )
      await vi.waitFor(async () => expect(await statusOf(revoked)).toBe(401), patience)
      const recoveryMs = performance.now() - restored
      await vi.waitFor(async () => expect((await platform()).status).toBe(200), patience)
      await waitForDependency('database', 1)
      await Promise.all([load.end(), probe.end()])
      successes += load.successes()
      expect(load.failures).toEqual([])
      expect([probe.removals(), probe.failures]).toEqual([0, []])
      await waitForReports()
      figure('database away and back', {
        calls: load.successes(),
        checks: probe.checks(),
        revokedAfterMs: Math.round(recoveryMs),
      })
    })

    it('when one is killed, only its connections close, and at most its last calls are not reported', async () => {
      const clients = 12
      const load = startLoad(callUrl, clients)
      await waitForProgress(300, load)
      const [killedPid = 0] = workers()
      const before = load.successes()
      // Earlier calls are already in the database. Only later ones can be lost.
      await vi.waitFor(
        async () => expect(await gateway.reportedCalls()).toBeGreaterThanOrEqual(successes + before),
        patience,
      )
      const sinceReported = load.successes() - before
      process.kill(killedPid, 'SIGKILL')
      const successesBefore = load.successes()
      await vi.waitFor(() => {
        expect(load.successes()).toBeGreaterThan(successesBefore + 200)
        expect(gateway.output()).toContain('a worker was restarted')
      }, patience)
      await load.end()
      successes += load.successes()
      expect(load.failures.filter((failure) => !/ECONNRESET|socket hang up|EPIPE/.test(failure))).toEqual([])
      expect(load.failures.length).toBeLessThanOrEqual(clients)
      // A process that shuts down reports all its counts, and those that an earlier process has left in its journal.
      await gateway.end('SIGTERM')
      const reported = Number(
        await postgres.query('select sum(requests) from usage_hours where status_class < 4'),
      )
      expect(reported).toBeGreaterThanOrEqual(successes - sinceReported)
      figure('process killed', {
        calls: load.successes(),
        failures: load.failures.length,
        clients,
        notReported: successes - reported,
      })
      expect(reported).toBeLessThanOrEqual(successes + load.failures.length)
    })
  },
)
