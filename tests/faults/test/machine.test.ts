import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { figure } from './figure.ts'
import { metricTotal } from './metric.ts'
import { startPlainNode } from './plain-node.ts'
import { serve } from '@fairlead/e2e-tests/served'
import { postgresPrograms, startPostgres } from '@fairlead/vitest/postgres'
import { steadyLoad } from './steady-load.ts'

const patience = { timeout: 60_000, interval: 100 }

let node: Awaited<ReturnType<typeof startPlainNode>>
beforeAll(async () => {
  node = await startPlainNode()
})
afterAll(() => node.close())

/** Mounts a file system of the given size. Undefined if mounting is not permitted. */
function smallDisk(megabytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' })
    onTestFinished(() => {
      execFileSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true })
    })
    return folder
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
}

it('with a full disk the platform reports that it cannot write, nodes are served, and both recover', async ({
  skip,
}) => {
  const disk = smallDisk(160) ?? skip('This machine does not allow mounting a file system.')
  const gateway = await serve({ FAIRLEAD_EVM_UPSTREAM: node.url, FAIRLEAD_DATA_DIRECTORY: disk })
  onTestFinished(() => gateway.remove())
  const authorization = `Bearer ${gateway.apiKey}`
  const description = randomBytes(500).toString('hex')
  const create = async (name: string) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const body = JSON.stringify({ name, description })
    const signal = AbortSignal.timeout(20_000)
    const response = await fetch(`${gateway.url}/v2/projects/`, { method: 'POST', headers, body, signal })
    return { status: response.status, text: await response.text() }
  }
  const filler = join(disk, 'filler')
  const load = steadyLoad(`${gateway.url}/${gateway.token}`)
  await vi.waitFor(() => expect(load.successes()).toBeGreaterThan(20), patience)
  expect((await create('before')).status).toBe(201)
  fill(disk, filler)
  const responses: { status: number; text: string }[] = []
  // Database pages with free space accept some more writes.
  for (let attempt = 0; attempt < 200 && responses.every(({ status }) => status < 500); attempt++) {
    responses.push(await create(`during ${attempt}`))
  }
  const { status, text } = responses.at(-1) ?? { status: 0, text: '' }
  expect([status, text]).toEqual([503, expect.stringContaining('unavailable')])
  figure('disk full: writes until one was refused', responses.length)
  // Waits until usage has been written once more, even if the write fails.
  const writes = async () => {
    const failed = ['flush_failures', 'unjournaled'].map((name) =>
      metricTotal(gateway.url, `fairlead_usage_${name}_total`),
    )
    const counts = await Promise.all([...failed, gateway.reportedCalls()])
    return counts.reduce((sum, count) => sum + count, 0)
  }
  const before = await writes()
  await vi.waitFor(async () => expect(await writes()).toBeGreaterThan(before), patience)
  const read = await fetch(`${gateway.url}/v2/projects/`, { headers: { authorization } })
  expect(read.status).toBe(200)
  rmSync(filler)
  await vi.waitFor(async () => expect((await create('after')).status).toBe(201), patience)
  await load.end()
  expect(load.failures).toEqual([])
  await vi.waitFor(async () => expect(await gateway.reportedCalls()).toBe(load.successes()), patience)
  expect(gateway.output()).not.toMatch(/PANIC/)
})

/** Fills the disk to the last byte. */
function fill(disk: string, file: string): void {
  const { bavail, bsize } = statfsSync(disk)
  try {
    // Concurrent writes of other processes take the rest.
    writeFileSync(file, Buffer.alloc(bavail * bsize))
    for (;;) writeFileSync(file, Buffer.alloc(bsize), { flag: 'a' })
  } catch {
    // It is full.
  }
}

describe.skipIf(postgresPrograms === undefined)('a clock jump (needs PostgreSQL)', () => {
  it('by 25 hours and back: limits, quotas and expiry follow the clock, and nothing hangs', async () => {
    const postgres = await startPostgres(postgresPrograms ?? '')
    onTestFinished(() => postgres.stop())
    const folder = mkdtempSync(join(tmpdir(), 'fairlead-clock-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'clock')
    const gateway = await serve({
      DATABASE_URL: postgres.url,
      FAIRLEAD_EVM_UPSTREAM: node.url,
      NODE_OPTIONS: `--import=${join(import.meta.dirname, 'shifted-clock.mjs')}`,
      FAULTS_CLOCK_FILE: file,
    })
    onTestFinished(() => gateway.remove())
    const jump = async (hours: number) => {
      writeFileSync(file, String(hours * 3_600_000))
      gateway.process.kill('SIGUSR2')
      // The process removes the file after its clock has jumped.
      await vi.waitFor(() => expect(existsSync(file)).toBe(false), { ...patience, interval: 5 })
    }
    let successes = 0
    const callWith = async (token: string) => {
      const body = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${gateway.url}/${token}`, { method: 'POST', headers, body })
      await response.arrayBuffer()
      if (response.status === 200) successes += 1
      return { status: response.status, retryAfter: Number(response.headers.get('retry-after')) }
    }
    const issue = async (limits: object, expires = 'null') => {
      const token = randomBytes(16).toString('hex')
      const id = `NC-${token.slice(0, 9)}`
      const sha256 = createHash('sha256').update(token).digest('hex')
      await postgres.query(
        `begin; insert into limits values ('credential', '${id}', '${JSON.stringify(limits)}');
         insert into node_credentials (id, node_id, kind, sha256, origin, expires_at)
         select '${id}', id, 'token', '${sha256}', 'user', ${expires} from nodes; commit`,
      )
      await vi.waitFor(async () => expect((await callWith(token)).status).toBe(200), patience)
      return token
    }
    const expiring = await issue({}, "now() + interval '2 hours'")
    const daily = await issue({ requestsPerDay: 5 })
    const limitedToken = await issue({ rate: { requestsPerSecond: 2 } })
    const callUntilRejected = async (token: string) => {
      for (let calls = 0; ; calls++) {
        const { status, retryAfter } = await callWith(token)
        if (status !== 200) return { calls, status, retryAfter }
        if (calls > 50) throw new Error('There is no limit.')
      }
    }
    const load = steadyLoad(`${gateway.url}/${gateway.token}`, 4)
    await vi.waitFor(() => expect(load.successes()).toBeGreaterThan(20), patience)
    const rounds: unknown[] = []
    for (const hours of [0, 25, 0, -25, 0]) {
      await jump(hours)
      const expiry = (await callWith(expiring)).status
      const quota = await callUntilRejected(daily)
      const rate = await callUntilRejected(limitedToken)
      rounds.push([hours, expiry, quota, rate])
      expect(rate.status).toBe(429)
      expect(rate.retryAfter).toBeGreaterThanOrEqual(1)
      expect(rate.retryAfter).toBeLessThanOrEqual(60)
      expect(quota.status).toBe(403)
      expect(expiry).toBe(hours === 25 ? 401 : 200)
      const before = load.successes()
      await vi.waitFor(() => expect(load.successes()).toBeGreaterThan(before + 20), patience)
    }
    figure('clock: hours, expiry, quota, rate', rounds)
    await load.end()
    successes += load.successes()
    expect(load.failures).toEqual([])
    await vi.waitFor(async () => expect(await gateway.reportedCalls()).toBe(successes), patience)
    expect(gateway.output()).not.toMatch(/Negative|Overflow/)
  })
})
