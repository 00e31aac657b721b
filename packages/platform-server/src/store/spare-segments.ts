import { statfs } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from './database.ts'

const firstMs = 30_000
const everyMs = 300_000
const segmentBytes = 16 * 1024 ** 2
const spareSegments = 2
// A disk with less free space than this counts as full.
const neededBytes = 4 * segmentBytes

/** Options of {@link maintainSpareSegments}. */
export interface SpareSegmentsOptions {
  readonly db: Kysely<Database>
  readonly dataDirectory: string
  readonly log: Logger | undefined
  /** Delay before the first run, in milliseconds. */
  readonly firstMs?: number | undefined
  readonly everyMs?: number | undefined
}

/**
 * Keeps the write-ahead log (WAL) of the embedded database from growing, and from needing space on a full disk. The
 * embedded PostgreSQL has no checkpointer process, and only checkpoints let it recycle old WAL segments. When it cannot
 * create a segment or complete a checkpoint, it blocks forever, and with it this process. Therefore this task fills
 * spare segments early and runs no checkpoint while the disk is full.
 *
 * @returns a function that stops the task and resolves when it no longer uses the database
 */
export function maintainSpareSegments(parts: SpareSegmentsOptions): () => Promise<void> {
  const ended = new AbortController()
  const running = run(parts, ended.signal)
  return async () => {
    ended.abort()
    await running
  }
}

async function run(parts: SpareSegmentsOptions, signal: AbortSignal): Promise<void> {
  const { db, dataDirectory, log } = parts
  const pause = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined)
  let hasSpare = false
  await pause(parts.firstMs ?? firstMs)
  while (!signal.aborted) {
    try {
      const { bavail, bsize } = await statfs(dataDirectory)
      if (bavail * bsize >= neededBytes) {
        if (!hasSpare) await fillSegments(db)
        hasSpare = true
        await sql`checkpoint`.execute(db)
      }
    } catch (error) {
      log?.warn({ err: error }, 'the log of the embedded database could not be truncated')
    }
    await pause(parts.everyMs ?? everyMs)
  }
}

/** Fills segments that the next checkpoint makes available for recycling. */
async function fillSegments(db: Kysely<Database>): Promise<void> {
  for (let segment = 0; segment < spareSegments; segment++) {
    // PostgreSQL does not switch away from an empty segment, so write a message first.
    await sql`select pg_logical_emit_message(false, 'fairlead', '')`.execute(db)
    await sql`select pg_switch_wal()`.execute(db)
  }
}
