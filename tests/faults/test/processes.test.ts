import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryMeter } from '@fairlead/vitest/memory-meter'
import { type Postgres, postgresPrograms, startPostgres } from '@fairlead/vitest/postgres'
import { type ServerProcess, startProcess, temporaryFolder } from '@fairlead/e2e-tests/gateway'
import { metricTotal } from './metric.ts'
import { startPlainNode } from './plain-node.ts'
import { steadyLoad } from './steady-load.ts'

/** The number of connections of a gateway, including the one of this request. */
async function connectionsOf(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^fairlead_connections\{port="plain"} (\d+)$/m.exec(metrics)?.[1] ?? Number.NaN)
}

const patience = { timeout: 100_000, interval: 100 }

let node: Awaited<ReturnType<typeof startPlainNode>>
let postgres: Postgres | undefined
beforeAll(async () => {
  node = await startPlainNode()
  if (postgresPrograms !== undefined) postgres = await startPostgres(postgresPrograms)
})
afterAll(async () => {
  node.close()
  await postgres?.stop()
})

/** The ids of the child processes of a process. */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => {
      try {
        const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
          .replace(/^.*\) /, '')
          .split(' ')
        return Number(fields[1]) === pid
      } catch {
        return false
      }
    })
}

describe.skipIf(postgresPrograms === undefined)('a gateway with several processes (needs PostgreSQL)', () => {
  let gateway: ServerProcess
  let url: string
  let callUrl: string
  const workers = () => childrenOf(gateway.process.pid ?? 0)

  const start = (folder: string) =>
    startProcess('serve', folder, {
      DATABASE_URL: postgres?.url ?? '',
      FAIRLEAD_SECRET_KEY: '5a'.repeat(32),
      FAIRLEAD_PROCESSES: '2',
      FAIRLEAD_EVM_UPSTREAM: node.url,
      FAIRLEAD_PROBE_NODES: 'false',
      FAIRLEAD_LOG_LEVEL: 'warn',
    })

  beforeAll(async () => {
    const folder = await temporaryFolder()
    gateway = await start(folder.path)
    url = /running at (\S+)/.exec(gateway.output())?.[1] ?? ''
    callUrl = `${url}/${await tokenOf(gateway)}`
    return async () => {
      await gateway.end('SIGTERM')
      await folder.remove()
    }
  })

  it('sums up metrics of all workers, and restarts one that is killed', async () => {
    expect(workers()).toHaveLength(2)
    const counted = await metricTotal(url, 'fairlead_node_requests_total')
    const load = steadyLoad(callUrl)
    await vi.waitFor(() => expect(load.successes()).toBeGreaterThan(50), patience)
    await load.end()
    expect(load.failures).toEqual([])
    expect(await metricTotal(url, 'fairlead_node_requests_total')).toBe(counted + load.successes())
    const [killedPid = 0] = workers()
    process.kill(killedPid, 'SIGKILL')
    await vi.waitFor(() => expect(gateway.output()).toContain('a worker exited'), patience)
    const after = steadyLoad(callUrl)
    await vi.waitFor(() => {
      expect(workers()).toHaveLength(2)
      expect(workers()).not.toContain(killedPid)
      expect(gateway.output()).toContain('a worker was restarted')
      expect(after.successes()).toBeGreaterThan(50)
    }, patience)
    await after.end()
    expect(after.failures).toEqual([])
  })

  it('replaces one process after the other without a failed call', async () => {
    const before = workers()
    const counted = await metricTotal(url, 'fairlead_node_requests_total')
    const load = steadyLoad(callUrl)
    await vi.waitFor(() => expect(load.successes()).toBeGreaterThan(50), patience)
    gateway.process.kill('SIGUSR2')
    await vi.waitFor(() => {
      expect(workers()).toHaveLength(2)
      expect(workers().filter((pid) => before.includes(pid))).toEqual([])
    }, patience)
    const responsesBefore = load.successes()
    await vi.waitFor(() => expect(load.successes()).toBeGreaterThan(responsesBefore + 50), patience)
    await load.end()
    expect(load.failures).toEqual([])
    // The counts of the previous processes are not lost.
    expect(await metricTotal(url, 'fairlead_node_requests_total')).toBe(counted + load.successes())
  })

  it('stops with all of its workers', async () => {
    const folder = await temporaryFolder()
    onTestFinished(() => folder.remove())
    const secondGateway = await start(folder.path)
    const pids = childrenOf(secondGateway.process.pid ?? 0)
    expect(pids).toHaveLength(2)
    expect(await secondGateway.end('SIGTERM')).toBe(0)
    expect(pids.filter((pid) => readdirSync('/proc').includes(String(pid)))).toEqual([])
  })
})

/** Waits for the token that a gateway prints at its first start. */
async function tokenOf(gateway: ServerProcess): Promise<string> {
  return vi.waitFor(() => {
    const token = /token {6}(\S+)/.exec(gateway.output())?.[1]
    if (token === undefined) throw new Error('There is no token yet.')
    return token
  }, patience)
}

describe('a gateway with one process', () => {
  async function start(environment: Readonly<Record<string, string>> = {}, ...args: readonly string[]) {
    const folder = await temporaryFolder()
    onTestFinished(() => folder.remove())
    const gateway = await startProcess(
      'serve',
      folder.path,
      { FAIRLEAD_EVM_UPSTREAM: node.url, FAIRLEAD_PROBE_NODES: 'false', ...environment },
      args,
    )
    onTestFinished(() => void gateway.process.kill('SIGKILL'))
    const url = /running at (\S+)/.exec(gateway.output())?.[1] ?? ''
    return { gateway, folder, url, token: await tokenOf(gateway) }
  }

  it('reports that it is shutting down, keeps serving for a while, and closes each connection after its response', async () => {
    const { gateway, url, token } = await start({ FAIRLEAD_DRAIN_DELAY_MS: '1500' })
    const load = steadyLoad(`${url}/${token}`, 4)
    await vi.waitFor(() => expect(load.successes()).toBeGreaterThan(10), patience)
    const ended = gateway.end('SIGTERM')
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(503), patience)
    const response = await fetch(`${url}/healthz`)
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close'])
    await load.end()
    expect(load.failures).toEqual([])
    expect(await ended).toBe(0)
  })

  it('reloads changed files, names options that cannot change, and keeps the old configuration on an error', async () => {
    const files = await temporaryFolder()
    onTestFinished(() => files.remove())
    const file = join(files.path, 'fairlead.yaml')
    await writeFile(file, 'metricsToken: first\n')
    const { gateway, url } = await start({ FAIRLEAD_LOG_LEVEL: 'info' }, '--config', file)
    const statusFor = async (token: string) =>
      (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status
    expect(await statusFor('first')).toBe(200)
    await writeFile(file, 'metricsToken: second\npublicUrl: https://other.example\n')
    gateway.process.kill('SIGHUP')
    await vi.waitFor(async () => expect(await statusFor('second')).toBe(200), patience)
    expect(await statusFor('first')).toBe(401)
    await vi.waitFor(
      () => expect(gateway.output()).toMatch(/"options":\["publicUrl"\].*take effect only after a restart/),
      patience,
    )
    await writeFile(file, 'metricsToken: third\nmaxBatchItems: c4n4ry\n')
    gateway.process.kill('SIGHUP')
    await vi.waitFor(() => expect(gateway.output()).toContain('nothing was changed'), patience)
    expect(await statusFor('second')).toBe(200)
    expect(gateway.output()).not.toMatch(/c4n4ry|second|third/)
    await gateway.end('SIGTERM')
  })

  it('keeps serving, with bounded memory, with thousands of connections that send incomplete requests', async () => {
    const meter = await memoryMeter()
    const { gateway, url, token } = await start({ FAIRLEAD_LOG_LEVEL: 'warn', ...meter.environment })
    const port = Number(new URL(url).port)
    const residentBytes = () => meter.residentBytes(gateway.process.pid)
    const before = await residentBytes()
    const partialRequests = ['', 'P', 'POST / HTTP/1.1\r\nhost: x\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']
    const sockets = Array.from({ length: 3_000 }, (_, index) => {
      const socket = connect(port, '127.0.0.1')
        .resume()
        .on('error', () => undefined)
      // On some connections, an endless request head of many fields. The gateway cuts it off long before it has
      // received all of it.
      const padding = index % 10 === 0 ? 'a: b\r\n'.repeat(20_000) : ''
      socket.write(`${partialRequests[index % partialRequests.length]}${padding}`)
      return socket
    })
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    const load = steadyLoad(`${url}/${token}`, 4)
    await vi.waitFor(() => expect(load.successes()).toBeGreaterThan(50), patience)
    await load.end()
    expect(load.failures).toEqual([])
    expect((await residentBytes()) - before).toBeLessThan(200 * 1_024 ** 2)
    // Each connection is closed in time. The gateway reports the count, because a client may consider itself connected
    // when there are too many connections.
    await vi.waitFor(async () => expect(await connectionsOf(url)).toBeLessThan(50), patience)
  })

  it('reports that several processes need PostgreSQL', async () => {
    const folder = await temporaryFolder()
    onTestFinished(() => folder.remove())
    const environment = { FAIRLEAD_PROCESSES: '2', FAIRLEAD_EVM_UPSTREAM: node.url }
    await expect(startProcess('serve', folder.path, environment)).rejects.toThrow(
      'FAIRLEAD_PROCESSES must be 1 without DATABASE_URL',
    )
  })
})
