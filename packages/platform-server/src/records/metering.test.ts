import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { putLimits } from './limits.ts'
import { createUsageStore, writeUsage } from './usage.ts'
import { type Store, openStore } from '../store/open-store.ts'
import { type TemporaryDatabase, backends } from '../testing/temporary-store.ts'
import { type Metering, startMetering } from '@fairlead/gateway-core/usage/metering'
import type { UnitTable } from '@fairlead/gateway-core/usage/units'
import { reservePort } from '@fairlead/vitest/reserved-port'
import { grantOf } from '@fairlead/gateway-core/testing/metered-node'
import { evmCost } from '@fairlead/gateway-evm/methods/chain-methods'
import { createUsageCounts } from '@fairlead/gateway-core/usage/usage-counts'
import { startFlusher } from '@fairlead/gateway-core/usage/usage-flusher'
import { createCurrentUsage } from '@fairlead/gateway-core/usage/current-usage'

const log = pino({ level: 'silent' })
const countingProcess = fileURLToPath(new URL('../testing/counting-process.ts', import.meta.url))
const longTimeout = { timeout: 50_000 }

/** Starts metering into a store, with the journals in its data directory. */
function startOver({ db, dataDirectory }: Store, units: UnitTable): Promise<Metering> {
  return startMetering({
    store: createUsageStore(db),
    directory: join(dataDirectory, 'usage'),
    units,
    costs: { evm: evmCost },
    log,
  })
}

async function requestsOf(store: Store): Promise<Record<string, number>> {
  const rows = await store.db
    .selectFrom('usage_hours')
    .select(['credential_id', ({ fn }) => fn.sum('requests').as('requests')])
    .groupBy('credential_id')
    .execute()
  return Object.fromEntries(rows.map((row) => [row.credential_id, Number(row.requests)]))
}

describe.each(backends)('metering into $name', { timeout: 90_000 }, ({ create }) => {
  let database: TemporaryDatabase
  let store: Store
  beforeAll(async () => {
    database = await create()
    store = await database.open()
  }, 60_000)
  afterEach(() => sql`truncate usage_hours`.execute(store.db))
  afterAll(() => database.remove())

  it('writes every count to the database, and the last ones on shutdown', async () => {
    const { dataDirectory } = database
    await putLimits(store.db, { kind: 'node', id: 'ND-2' }, { requestsPerDay: 10 })
    const metering = await startOver(store, 'weighted')
    const call = (method: string, status = 200) =>
      metering.counts.count(grantOf({ nodeId: 'ND-2' }), 'evm', method, status, 1, 10)
    call('eth_call')
    call('debug_traceCall')
    call('eth_call', 429)
    await vi.waitFor(async () => expect(await requestsOf(store)).toEqual({ 'CR-1': 3 }), longTimeout)
    expect(metering.usedSoFar.of('node', 'ND-2', 'day')).toEqual({ requests: 2, units: 3 })
    for (let count = 0; count < 100; count++) call('eth_call')
    await metering.stop()
    expect(await requestsOf(store)).toEqual({ 'CR-1': 103 })
    expect(await readdir(join(dataDirectory, 'usage'))).toEqual([])
    const restarted = await startOver(store, 'flat')
    expect(restarted.usedSoFar.of('node', 'ND-2', 'month')).toEqual({ requests: 102, units: 103 })
    await restarted.stop()
  })

  it('counts nothing twice when the confirmation of a committed batch is lost', async () => {
    const counts = createUsageCounts(() => 1)
    const parts = { counts, usedSoFar: createCurrentUsage(), log, flushMs: 20 }
    const written: number[] = []
    const { stop, states } = await startFlusher({
      ...parts,
      directory: join(database.dataDirectory, 'usage'),
      sink: {
        async write(batch) {
          await writeUsage(store.db, batch)
          if (written.push(batch.sequence) % 2 === 1) throw new Error('The answer was lost.')
        },
        readUsed: () => Promise.resolve([]),
      },
    })
    let counted = 0
    await vi.waitFor(
      () => {
        counts.count(grantOf(), 'evm', 'eth_call', 200, 0, 0)
        counted++
        expect(written.length).toBeGreaterThanOrEqual(6)
      },
      { ...longTimeout, interval: 5 },
    )
    // Every second batch failed and stays in the journal until it is written again.
    expect(states().failures).toBeGreaterThan(0)
    expect(states().unjournaled).toBe(0)
    await stop()
    // The next start begins with the batches that were not acknowledged.
    const next = await startOver(store, 'flat')
    await next.stop()
    expect(await requestsOf(store)).toEqual({ 'CR-1': counted })
  })

  it('keeps counting without a folder for its journal', async () => {
    const metering = await startOver({ ...store, dataDirectory: '/dev/null' }, 'flat')
    metering.counts.count(grantOf(), 'evm', 'eth_call', 200, 0, 0)
    await vi.waitFor(async () => expect(await requestsOf(store)).toEqual({ 'CR-1': 1 }), longTimeout)
    expect(metering.states()).toEqual({
      journalBytes: 0,
      waitingSince: undefined,
      failures: 0,
      unjournaled: 1,
    })
    metering.counts.count(grantOf(), 'evm', 'eth_call', 200, 0, 0)
    await metering.stop()
    expect(await requestsOf(store)).toEqual({ 'CR-1': 2 })
  })

  it('loses at most the last interval when its process is killed', async () => {
    const { dataDirectory, databaseUrl = '' } = database
    const isEmbedded = databaseUrl === ''
    if (isEmbedded) await store.close()
    const rounds: Round[] = []
    for (let round = 0; round < 3; round++) {
      // The next process with a reachable database writes what this one could not.
      const isUnavailable = isEmbedded ? round !== 2 : round % 2 === 0
      rounds.push(await countUntilKilled(dataDirectory, `CR-${round}`, isUnavailable ? 'away' : databaseUrl))
    }
    if (isEmbedded) store = await database.open()
    const metering = await startOver(store, 'flat')
    await metering.stop()
    const requests = await requestsOf(store)
    for (const [index, { counted, secure }] of rounds.entries()) {
      expect(counted).toBeGreaterThan(100)
      expect(requests[`CR-${index}`]).toBeGreaterThanOrEqual(secure)
      // One call may have been counted but not yet printed.
      expect(requests[`CR-${index}`]).toBeLessThanOrEqual(counted + 1)
    }
    expect(await readdir(join(dataDirectory, 'usage'))).toEqual([])
  })
})

interface Round {
  readonly counted: number
  /** How many of them were counted long enough before the end: ten times the interval between two flushes. */
  readonly secure: number
}

async function countUntilKilled(directory: string, credentialId: string, database: string): Promise<Round> {
  const argv = ['--conditions=@fairlead/source', countingProcess, directory, credentialId, database]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  const times: number[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    times.push(Number(line.split(' ')[1]))
    const [first = 0, last = 0] = [times[0], times.at(-1)]
    if (times.length > 100 && last - first > 1_300) child.kill('SIGKILL')
  }
  const end = times.at(-1) ?? 0
  return { counted: times.length, secure: times.filter((time) => time < end - 1_000).length }
}

const server = process.env['TEST_DATABASE_URL']

describe.skipIf(server === undefined)('metering into a PostgreSQL that becomes unavailable', () => {
  it('loses nothing and counts nothing twice', { timeout: 60_000 }, async () => {
    const [backend] = backends.filter(({ name }) => name === 'postgresql')
    const database = await backend?.create()
    if (database?.databaseUrl === undefined) throw new Error('There is no PostgreSQL.')
    const relay = await relayTo(new URL(database.databaseUrl))
    const store = await openStore({ dataDirectory: database.dataDirectory, databaseUrl: relay.url })
    const metering = await startOver(store, 'flat')
    let counted = 0
    const load = setInterval(() => {
      for (let call = 0; call < 20; call++) {
        metering.counts.count(grantOf({ credentialId: `CR-${call}` }), 'evm', 'eth_call', 200, 0, 0)
        counted++
      }
    }, 1)
    const direct = await database.open()
    const written = async () => Object.values(await requestsOf(direct)).reduce((sum, count) => sum + count, 0)
    const writesMore = async () => {
      const before = await written()
      await vi.waitFor(async () => expect(await written()).toBeGreaterThan(before), longTimeout)
    }
    for (const failures of [2, 0, 0]) {
      await writesMore()
      const before = metering.states().failures
      await relay.stop()
      await vi.waitFor(
        () => expect(metering.states().failures).toBeGreaterThanOrEqual(before + failures),
        longTimeout,
      )
      await relay.start()
    }
    await writesMore()
    clearInterval(load)
    await metering.stop()
    expect(counted).toBeGreaterThan(1_000)
    expect(await written()).toBe(counted)
    await store.close()
    await relay.stop()
    await database.remove()
  })
})

/** A TCP relay to a server that can be interrupted. */
async function relayTo(target: URL) {
  const sockets = new Set<Socket>()
  let listening: Server | undefined
  const port = await reservePort()
  const start = async () => {
    listening = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname)
      for (const [a, b] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(a)
        a.on('error', () => b.destroy()).on('close', () => sockets.delete(a))
        a.pipe(b)
      }
    }).listen(port, '127.0.0.1')
    await once(listening, 'listening')
  }
  const stop = async () => {
    const closed = listening && once(listening, 'close')
    listening?.close()
    for (const socket of sockets) socket.destroy()
    await closed
    listening = undefined
  }
  await start()
  const url = new URL(target)
  url.host = `127.0.0.1:${port}`
  return { url: url.href, start, stop }
}
