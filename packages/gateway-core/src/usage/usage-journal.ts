import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type DirectoryLock, DirectoryLockError, lockDirectory } from '../directory-lock.ts'
import type { UsageRow } from './usage-counts.ts'

/** What was counted in about a second. */
export interface UsageBatch {
  /** The one journal that it stands in. */
  readonly writer: string
  /** Counts up within the journal; the database takes each number once. */
  readonly sequence: number
  readonly rows: readonly UsageRow[]
}

/** A file that holds what was counted until the database has it. */
export interface UsageJournal {
  readonly writer: string
  /** Whether it holds something that was not forgotten. */
  readonly isEmpty: boolean
  /** Bytes that were not forgotten. */
  readonly bytes: number
  append(batch: UsageBatch): Promise<void>
  /** Every batch in it, in order, but for those that are appended meanwhile. */
  read(): AsyncGenerator<UsageBatch>
  /** Forgets what was read last, to the end. */
  forget(): Promise<void>
  /** Closes it, and removes it when it is empty. */
  close(): Promise<void>
}

const suffix = '.journal'

/**
 * Opens a journal of this process in a folder, which is made when it is missing. Readable for its owner only.
 *
 * @throws when the folder cannot be written
 */
export async function openJournal(directory: string): Promise<UsageJournal> {
  await makeFolder(directory)
  return openFile(directory, randomUUID())
}

/**
 * Opens the journals that processes left behind which are no longer there.
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

interface FileParts {
  readonly file: FileHandle
  readonly path: string
  readonly lock: DirectoryLock
  readonly lockPath: string
}

class JournalFile implements UsageJournal {
  readonly writer: string
  readonly #parts: FileParts
  /** What was forgotten ends here, */
  #start = 0
  /** what was read last here, */
  #read = 0
  /** and what is in the file here. */
  #size: number
  /** Whatever writes to the file does so one after the other. */
  #writing: Promise<void> = Promise.resolve()

  constructor(writer: string, size: number, parts: FileParts) {
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
    // The line before may have been broken off, by a full disk or by the end of its process.
    const line = Buffer.from(`\n${JSON.stringify({ sequence, rows })}\n`)
    return this.#inTurn(async () => {
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

  forget(): Promise<void> {
    return this.#inTurn(async () => {
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
    // The lock goes last: until then nobody else looks at the file.
    if (this.isEmpty) await rm(path, { force: true })
    lock.release()
    if (this.isEmpty) await rm(lockPath, { force: true })
  }

  #inTurn(write: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(write)
    this.#writing = written.catch(() => undefined)
    return written
  }
}

// Earlier versions, whose journals are read as well, did not count how long requests took.
type Duration = 'timedRequests' | 'durationMicroseconds'
interface WrittenBatch {
  readonly sequence: number
  readonly rows: readonly (Omit<UsageRow, Duration> & Partial<Pick<UsageRow, Duration>>)[]
}

// A line that was broken off is no JSON.
function batchOf(line: string): Omit<UsageBatch, 'writer'> | undefined {
  try {
    if (line === '') return undefined
    const { sequence, rows } = JSON.parse(line) as WrittenBatch
    return { sequence, rows: rows.map((row) => ({ timedRequests: 0, durationMicroseconds: 0, ...row })) }
  } catch {
    return undefined
  }
}
