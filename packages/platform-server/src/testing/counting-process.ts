import { join } from 'node:path'
import { pino } from 'pino'
import { readUsed, writeUsage } from '../records/usage.ts'
import { openStore } from '../store/open-store.ts'
import { createUnits } from '@fairlead/gateway-core/usage/units'
import { createUsageCounts } from '@fairlead/gateway-core/usage/usage-counts'
import { startFlusher, type UsageSink } from '@fairlead/gateway-core/usage/usage-flusher'
import { createCurrentUsage } from '@fairlead/gateway-core/usage/current-usage'
import { grantOf } from '@fairlead/gateway-core/testing/metered-node'

// Runs as a child process that is killed at any time: counts calls and prints, after each, the total and the time. With
// `away`, all its database operations fail.
const [dataDirectory = '', credentialId = '', databaseUrl = ''] = process.argv.slice(2)

async function sinkOf(): Promise<UsageSink> {
  if (databaseUrl === 'away') {
    const unavailable = () => Promise.reject(new Error('unavailable'))
    return { write: unavailable, readUsed: unavailable }
  }
  const { db } = await openStore({ dataDirectory, databaseUrl: databaseUrl === '' ? undefined : databaseUrl })
  return { write: (batch) => writeUsage(db, batch), readUsed: () => readUsed(db) }
}

const counts = createUsageCounts(createUnits('flat', {}))
await startFlusher({
  counts,
  sink: await sinkOf(),
  usedSoFar: createCurrentUsage(),
  directory: join(dataDirectory, 'usage'),
  log: pino({ level: 'silent' }),
  flushMs: 100,
})
const grant = grantOf({ credentialId })
let counted = 0
setInterval(() => {
  counts.count(grant, 'evm', 'eth_chainId', 200, 10, 20)
  process.stdout.write(`${++counted} ${Math.trunc(performance.now())}\n`)
}, 2)
