import { join } from 'node:path'
import type { Logger } from 'pino'
import { forgetOldWriters, readUsed, writeUsage } from '../../control/records/usage.ts'
import type { Store } from '../../control/store/open-store.ts'
import { createUnits, type Units, type UnitTable } from './units.ts'
import { createUsageCounts, type UsageCounts } from './usage-counts.ts'
import { type RunningFlusher, startFlusher } from './usage-flusher.ts'
import { createUsedSoFar, type UsedSoFar } from './used-so-far.ts'

/** What counts the use of nodes, and tells of it. */
export interface Metering extends RunningFlusher {
  readonly units: Units
  readonly counts: UsageCounts
  readonly usedSoFar: UsedSoFar
}

/** Starts to count into the store. */
export async function startMetering(options: {
  readonly store: Store
  readonly units: UnitTable
  readonly log: Logger
}): Promise<Metering> {
  const { store, log } = options
  const units = createUnits(options.units)
  const counts = createUsageCounts(units)
  const usedSoFar = createUsedSoFar()
  await forgetOldWriters(store.db).catch(() => undefined)
  const flusher = await startFlusher({
    counts,
    usedSoFar,
    log,
    directory: join(store.dataDirectory, 'usage'),
    sink: { write: (batch) => writeUsage(store.db, batch), readUsed: () => readUsed(store.db) },
  })
  return { units, counts, usedSoFar, ...flusher }
}
