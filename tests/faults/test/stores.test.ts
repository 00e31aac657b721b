import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasRedisServer, type Redis, startRedis } from './redis.ts'
import { figure } from './figure.ts'
import { startPlainNode } from './plain-node.ts'
import { type Served, serve } from '@fairlead/e2e-tests/served'
import { freePort, type Postgres, postgresPrograms, startPostgres } from '@fairlead/vitest/postgres'
import { steadyLoad } from './steady-load.ts'

const patience = { timeout: 60_000, interval: 100 }
const rate = 40

let node: Awaited<ReturnType<typeof startPlainNode>> | undefined
let postgres: Postgres
let redis: Redis
let service: Served
let callUrl: string
/** Calls of this file that were answered with success. */
let answered = 0

beforeAll(async () => {
  if (postgresPrograms === undefined || !hasRedisServer) return
  node = await startPlainNode()
  ;[postgres, redis] = await Promise.all([startPostgres(postgresPrograms), startRedis(await freePort())])
  service = await serve({
    DATABASE_URL: postgres.url,
    FAIRLEAD_VALKEY_URL: redis.url,
    FAIRLEAD_PROCESSES: '2',
    FAIRLEAD_EVM_UPSTREAM: node.url,
  })
  callUrl = `${service.url}/${service.token}`
})
afterAll(async () => {
  await service?.end('SIGTERM')
  await service?.remove()
  await Promise.all([postgres?.stop(), redis?.kill()])
  node?.close()
})

/** Makes another credential of the node. */
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
  const { status } = await fetch(`${service.url}/${token}`, { method: 'POST', headers, body })
  if (status === 200) answered += 1
  return status
}

/** Waits until the platform reports exactly what was answered. */
async function allReported(): Promise<void> {
  await vi.waitFor(async () => expect(await service.reportedCalls()).toBe(answered), patience)
}

/** Ids of the processes that serve. */
function workers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        return (
          readFileSync(`/proc/${id}/stat`, 'utf8')
            .replace(/^.*\) /, '')
            .split(' ')[1] === `${service.process.pid}`
        )
      } catch {
        return false
      }
    })
    .map(Number)
}

describe.skipIf(postgresPrograms === undefined || !hasRedisServer)(
  'two processes under load (needs PostgreSQL and Redis)',
  () => {
    it('go on without the shared store, within the limit of each, and count together when it is back', async () => {
      const limited = steadyLoad(
        `${service.url}/${await newToken({ rate: { requestsPerSecond: rate } })}`,
        10,
      )
      const load = steadyLoad(callUrl)
      const began = performance.now()
      await pause(1_500)
      await redis.kill()
      await pause(2_000)
      await redis.start()
      await pause(2_000)
      await Promise.all([load.end(), limited.end()])
      const seconds = (performance.now() - began) / 1_000
      answered += load.answered() + limited.answered()
      expect(load.failures).toEqual([])
      expect(limited.failures.filter((failure) => !failure.startsWith('429 '))).toEqual([])
      // The bucket is full in the beginning, and anew in a store that holds nothing; that of each process is, whenever it
      // has lost the store, which a busy machine may do more than once.
      const [lease, replicas] = [rate / 20, 2]
      const losses = service.output().match(/the shared store is away/g)?.length ?? 0
      const most = rate * seconds + 2 * rate + losses * (rate / replicas + 2 * lease) + 2 * replicas * lease
      figure('shared store away and back', {
        calls: load.answered(),
        limited: limited.answered(),
        most: Math.round(most),
        refused: limited.failures.length,
      })
      expect(limited.answered()).toBeLessThanOrEqual(most)
      expect(limited.answered()).toBeGreaterThan(rate * seconds * 0.5)
    })

    it('go on without the database; what it says is in force soon after it is back, and no call is lost', async () => {
      const revoked = await newToken()
      const load = steadyLoad(callUrl)
      await pause(500)
      await postgres.end()
      const platform = () =>
        fetch(`${service.url}/v2/projects/`, { headers: { authorization: `Bearer ${service.apiKey}` } })
      await pause(1_500)
      expect(await statusOf(revoked)).toBe(200)
      expect((await platform()).status).toBe(503)
      expect((await fetch(`${service.url}/readyz`)).status).toBe(503)
      await postgres.start()
      const back = performance.now()
      await postgres.query(
        `update node_credentials set revoked_at = now() where id = 'NC-${revoked.slice(0, 9)}'`,
      )
      await vi.waitFor(async () => expect(await statusOf(revoked)).toBe(401), patience)
      const heardMs = performance.now() - back
      await vi.waitFor(async () => expect((await platform()).status).toBe(200), patience)
      await load.end()
      answered += load.answered()
      expect(load.failures).toEqual([])
      await allReported()
      figure('database away and back', { calls: load.answered(), revokedAfterMs: Math.round(heardMs) })
    })

    it('one is killed: only its connections end, and no more than its last calls are not reported', async () => {
      const clients = 12
      const load = steadyLoad(callUrl, clients)
      await vi.waitFor(() => expect(load.answered()).toBeGreaterThan(300), patience)
      const [victim = 0] = workers()
      const before = load.answered()
      await pause(3_000)
      const inLastSeconds = load.answered() - before
      process.kill(victim, 'SIGKILL')
      const then = load.answered()
      await vi.waitFor(() => {
        expect(load.answered()).toBeGreaterThan(then + 200)
        expect(service.output()).toContain('a worker serves again')
      }, patience)
      await load.end()
      answered += load.answered()
      expect(load.failures.filter((failure) => !/ECONNRESET|socket hang up|EPIPE/.test(failure))).toEqual([])
      expect(load.failures.length).toBeLessThanOrEqual(clients)
      let reported = -1
      await vi.waitFor(
        async () => {
          const last = reported
          reported = await service.reportedCalls()
          expect(reported).toBe(last)
          expect(reported).toBeGreaterThanOrEqual(answered - inLastSeconds)
        },
        { timeout: 60_000, interval: 2_500 },
      )
      figure('process killed', {
        calls: load.answered(),
        failures: load.failures.length,
        clients,
        notReported: answered - reported,
      })
      expect(reported).toBeLessThanOrEqual(answered + load.failures.length)
    })
  },
)
