import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { UsageCounts, UsageRow } from './usage-counts.ts'
import { openJournal, openOrphanedJournals, type UsageBatch, type UsageJournal } from './usage-journal.ts'
import type { UsedRow, CurrentUsage } from './current-usage.ts'

/** The destination of usage counts. */
export interface UsageSink {
  /** Adds a batch exactly once, however often it is called. */
  write(batch: UsageBatch): Promise<void>
  /** Reads the usage of every quota. */
  readUsed(): Promise<readonly UsedRow[]>
}

/** Dependencies of a flusher. */
export interface FlusherDependencies {
  readonly counts: UsageCounts
  readonly sink: UsageSink
  readonly usedSoFar: CurrentUsage
  /** Directory of the journals. */
  readonly directory: string
  readonly log: Logger
  /** Flush interval, in milliseconds. */
  readonly flushMs?: number | undefined
}

/** State of the usage counts that are not in the database yet. */
export interface UsageStates {
  /** Number of bytes in journals that are not in the database yet. */
  readonly journalBytes: number
  /** Since when usage has been waiting for the database, in milliseconds since 1970; undefined when none is waiting. */
  readonly waitingSince: number | undefined
  /** Failed attempts to write to the database, since the start. */
  readonly failures: number
  /** Batches that could not be written to the journal and were only held in memory, since the start. */
  readonly unjournaled: number
}

/** A running flusher. */
export interface RunningFlusher {
  states(): UsageStates
  /** Stops it with a final flush; never rejects. */
  stop(): Promise<void>
}

const defaultFlushMs = 1_000
// Interval for reading the usage of other processes.
const readUsedMs = 10_000
const firstRetryMs = 250
const maxRetryMs = 4_000
// Timeout of the final flush. After it, the rest stays in the journal until the next start.
const lastFlushMs = 5_000

/**
 * Writes usage counts to the database: every second, the counts are appended to a journal and then written from the
 * journal to the database. A process that is killed loses the counts since the last flush. An unavailable database
 * loses nothing.
 */
export async function startFlusher(dependencies: FlusherDependencies): Promise<RunningFlusher> {
  const flusher = new Flusher(dependencies)
  await flusher.start()
  const ended = new AbortController()
  const running = flusher.run(ended.signal)
  const stop = async () => {
    ended.abort()
    await running
    await flusher.end()
  }
  return { states: () => flusher.states(), stop }
}

class Flusher {
  readonly #dependencies: FlusherDependencies
  /** Undefined when the directory is not writable. */
  #journal: UsageJournal | undefined
  /** Orphaned journals of earlier processes. */
  #orphanedJournals: UsageJournal[] = []
  /** The one batch that is in no journal. */
  #unjournaledBatch: UsageBatch | undefined
  #writer: string = randomUUID()
  #sequence = 0
  #draining: Promise<void> | undefined
  /** Consecutive failures. */
  #failures = 0
  #allFailures = 0
  #unjournaled = 0
  #waitingSince: number | undefined
  #nextTry = 0
  #nextReading = 0
  #isReading = false
  /** Usage that was taken during a database query, so its result cannot contain it. */
  #countedDuringRead: UsageRow[] = []

  constructor(dependencies: FlusherDependencies) {
    this.#dependencies = dependencies
  }

  states(): UsageStates {
    const journals = [this.#journal, ...this.#orphanedJournals]
    return {
      journalBytes: journals.reduce((sum, journal) => sum + (journal?.bytes ?? 0), 0),
      waitingSince: this.#waitingSince,
      failures: this.#allFailures,
      unjournaled: this.#unjournaled,
    }
  }

  async start(): Promise<void> {
    const { directory, log } = this.#dependencies
    try {
      this.#orphanedJournals = await openOrphanedJournals(directory)
      this.#journal = await openJournal(directory)
      this.#writer = this.#journal.writer
      if (this.#orphanedJournals.some(({ isEmpty }) => !isEmpty)) this.#waitingSince = Date.now()
    } catch (error) {
      log.warn({ err: error }, 'usage is stored only in memory: its journal cannot be written')
    }
    await this.#drain()
  }

  async run(ended: AbortSignal): Promise<void> {
    const { flushMs = defaultFlushMs } = this.#dependencies
    while (!ended.aborted) {
      await delay(flushMs, undefined, { signal: ended, ref: false }).catch(() => undefined)
      await this.#journalCounts()
      if (performance.now() >= this.#nextTry) {
        this.#draining ??= this.#drain().finally(() => (this.#draining = undefined))
      }
    }
  }

  async end(): Promise<void> {
    const drained = (async () => {
      await this.#draining
      // Counts that the one batch in memory held back need a second round.
      for (let round = 0; round < 2; round++) {
        await this.#journalCounts()
        await this.#drain()
      }
    })()
    await Promise.race([drained, delay(lastFlushMs, undefined, { ref: false })])
    for (const journal of [this.#journal, ...this.#orphanedJournals])
      await journal?.close().catch(() => undefined)
  }

  async #journalCounts(): Promise<void> {
    const { counts, usedSoFar, log } = this.#dependencies
    // Until that batch is in the database, counts stay in memory.
    if (this.#unjournaledBatch) return
    const rows = counts.drain()
    if (rows.length === 0) return
    usedSoFar.add(rows)
    this.#waitingSince ??= Date.now()
    if (this.#isReading) this.#countedDuringRead.push(...rows)
    const batch = { writer: this.#writer, sequence: ++this.#sequence, rows }
    if (this.#journal === undefined) this.#keepInMemory(batch)
    else {
      await this.#journal.append(batch).catch((error: unknown) => {
        log.error({ err: error }, 'usage could not be written to its journal')
        this.#keepInMemory(batch)
      })
    }
  }

  #keepInMemory(batch: UsageBatch): void {
    this.#unjournaledBatch = batch
    this.#unjournaled += 1
  }

  /** Writes all waiting usage. Never rejects. */
  async #drain(): Promise<void> {
    const { sink, log } = this.#dependencies
    try {
      for (const journal of this.#orphanedJournals) {
        await this.#write(journal)
        await journal.close()
        this.#orphanedJournals = this.#orphanedJournals.filter((other) => other !== journal)
      }
      if (this.#journal) await this.#write(this.#journal)
      if (this.#unjournaledBatch) await sink.write(this.#unjournaledBatch)
      this.#unjournaledBatch = undefined
      // Batches that were appended meanwhile have waited only for a short time.
      this.#waitingSince = (this.#journal?.isEmpty ?? true) ? undefined : Date.now()
      await this.#readUsed()
      if (this.#failures > 0) log.info('usage is written to the database again')
      this.#failures = 0
    } catch (error) {
      if (this.#failures === 0) log.warn({ err: error }, 'usage cannot be written to the database')
      this.#nextTry = performance.now() + Math.min(firstRetryMs * 2 ** this.#failures, maxRetryMs)
      this.#failures += 1
      this.#allFailures += 1
    }
  }

  async #write(journal: UsageJournal): Promise<void> {
    for await (const batch of journal.read()) await this.#dependencies.sink.write(batch)
    await journal.truncate()
  }

  async #readUsed(): Promise<void> {
    const { sink, usedSoFar } = this.#dependencies
    const isAllIn = this.#unjournaledBatch === undefined && (this.#journal?.isEmpty ?? true)
    if (!isAllIn || performance.now() < this.#nextReading) return
    this.#countedDuringRead = []
    this.#isReading = true
    try {
      usedSoFar.replace(await sink.readUsed())
      usedSoFar.add(this.#countedDuringRead)
    } finally {
      this.#isReading = false
    }
    this.#nextReading = performance.now() + readUsedMs
  }
}
