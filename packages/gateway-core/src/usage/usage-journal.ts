import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type DirectoryLock, DirectoryLockError, lockDirectory } from '@fairlead/runtime/directory-lock'
import type { UsageRow } from './usage-counts.ts'

/** The usage of about one second. */
export interface UsageBatch {
  /** Id of the journal that contains it. */
  readonly writer: string
  /** Sequence number within the journal; the database accepts each number once. */
  readonly sequence: number
  readonly rows: readonly UsageRow[]
}

/** A file that stores usage until it is in the database. */
export interface UsageJournal {
  readonly writer: string
  /** Whether it contains no batches. */
  readonly isEmpty: boolean
  /** Number of bytes that are not truncated. */
  readonly bytes: number
  append(batch: UsageBatch): Promise<void>
  /** All batches in order, except those that are appended meanwhile. */
  read(): AsyncGenerator<UsageBatch>
  /** Truncates the batches that the last {@link read} returned. */
  truncate(): Promise<void>
  /** Closes it, and deletes it when it is empty. */
  close(): Promise<void>
}

const suffix = '.journal'

/**
 * Opens a new journal of this process in a directory, which is created when it does not exist. Only the owner can read
 * it.
 *
 * @throws when the directory is not writable
 */
export async function openJournal(directory: string): Promise<UsageJournal> {
  await makeFolder(directory)
  return openFile(directory, randomUUID())
}

/**
 * Opens the orphaned journals of processes that have ended.
 *
 * @throws as {@link openJournal}
 */
export async function openOrphanedJournals(directory: string): Promise<UsageJournal[]> {
  await makeFolder(directory)
  const journals: UsageJournal[] = []
  for (const name of await readdir(directory)) {
    if (!name.endsWith(suffix)) continue
    try {
      journals.push(await openFile(directory, name.slice(0, -suffix.length)))
    } catch (error) {
      if (!(error instanceof DirectoryLockError && error.holder !== undefined)) throw error
    }
  }
  return journals
}

async function makeFolder(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
}

async function openFile(directory: string, writer: string): Promise<UsageJournal> {
  const path = join(directory, `${writer}${suffix}`)
  const lockPath = join(directory, `${writer}.lock`)
  const lock = lockDirectory(lockPath)
  try {
    const file = await open(path, 'a', 0o600)
    const { size } = await file.stat()
    return new JournalFile(writer, size, { file, path, lock, lockPath })
  } catch (error) {
    lock.release()
    throw error
  }
}

interface JournalFileOptions {
  readonly file: FileHandle
  readonly path: string
  readonly lock: DirectoryLock
  readonly lockPath: string
}

class JournalFile implements UsageJournal {
  readonly writer: string
  readonly #parts: JournalFileOptions
  /** End of the truncated part. */
  #start = 0
  /** End of the part that was read last. */
  #read = 0
  /** Size of the file. */
  #size: number
  /** Serializes all writes to the file. */
  #writing: Promise<void> = Promise.resolve()

  constructor(writer: string, size: number, parts: JournalFileOptions) {
    this.writer = writer
    this.#size = size
    this.#parts = parts
  }

  get isEmpty(): boolean {
    return this.bytes === 0
  }

  get bytes(): number {
    return this.#size - this.#start
  }

  append({ sequence, rows }: UsageBatch): Promise<void> {
    // The previous line may be incomplete, because of a full disk or because its process ended.
    const line = Buffer.from(`\n${JSON.stringify({ sequence, rows })}\n`)
    return this.#serialize(async () => {
      await this.#parts.file.appendFile(line)
      this.#size = (await this.#parts.file.stat()).size
    })
  }

  async *read(): AsyncGenerator<UsageBatch> {
    const [start, end] = [this.#start, this.#size]
    if (start < end) {
      const stream = createReadStream(this.#parts.path, { start, end: end - 1, encoding: 'utf8' })
      for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
        const batch = batchOf(line)
        if (batch) yield { ...batch, writer: this.writer }
      }
    }
    this.#read = end
  }

  truncate(): Promise<void> {
    return this.#serialize(async () => {
      this.#start = this.#read
      if (!this.isEmpty) return
      await this.#parts.file.truncate(0)
      this.#start = this.#read = this.#size = 0
    })
  }

  async close(): Promise<void> {
    await this.#writing
    const { file, path, lock, lockPath } = this.#parts
    await file.close()
    // The lock is deleted last: until then no other process opens the file.
    if (this.isEmpty) await rm(path, { force: true })
    lock.release()
    if (this.isEmpty) await rm(lockPath, { force: true })
  }

  #serialize(write: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(write)
    this.#writing = written.catch(() => undefined)
    return written
  }
}

// Journals of earlier versions, which can also be read, have no request durations.
type Duration = 'timedRequests' | 'durationMicroseconds'
interface WrittenBatch {
  readonly sequence: number
  readonly rows: readonly (Omit<UsageRow, Duration> & Partial<Pick<UsageRow, Duration>>)[]
}

// An incomplete line is not valid JSON.
function batchOf(line: string): Omit<UsageBatch, 'writer'> | undefined {
  try {
    if (line === '') return undefined
    const { sequence, rows } = JSON.parse(line) as WrittenBatch
    return { sequence, rows: rows.map((row) => ({ timedRequests: 0, durationMicroseconds: 0, ...row })) }
  } catch {
    return undefined
  }
}
