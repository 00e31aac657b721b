import type { Logger } from 'pino'
import { createUnits, type ProtocolCosts, type Units, type UnitTable } from './units.ts'
import { createUsageCounts, type UsageCounts } from './usage-counts.ts'
import { type RunningFlusher, startFlusher, type UsageSink } from './usage-flusher.ts'
import { createCurrentUsage, type CurrentUsage } from './current-usage.ts'

/** Counts the usage of nodes and writes it to the store. */
export interface Metering extends RunningFlusher {
  readonly units: Units
  readonly counts: UsageCounts
  readonly usedSoFar: CurrentUsage
}

/** Stores usage. */
export interface UsageStore extends UsageSink {
  /** Deletes writers whose last batch is so old that they can have no journal left. */
  removeStaleWriters(): Promise<void>
}

/**
 * Starts counting usage and writing it to the store.
 *
 * @param options - `directory` is the directory of the journals
 */
export async function startMetering(options: {
  readonly store: UsageStore
  readonly directory: string
  readonly units: UnitTable
  readonly costs: ProtocolCosts
  readonly log: Logger
}): Promise<Metering> {
  const { store, directory, log } = options
  const units = createUnits(options.units, options.costs)
  const counts = createUsageCounts(units)
  const usedSoFar = createCurrentUsage()
  await store.removeStaleWriters().catch(() => undefined)
  const flusher = await startFlusher({ counts, usedSoFar, log, directory, sink: store })
  return { units, counts, usedSoFar, ...flusher }
}
