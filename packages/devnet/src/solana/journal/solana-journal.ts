import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import { frame, readJournal } from '../../runtime/journal-file.ts'
import type { ChainJournal, ChainRecord, ChainSnapshot } from '../chain/chain-record.ts'

/** The journal of a chain is damaged or cannot be read; the message names the next step. */
export class JournalUnreadable extends Error {
  override readonly name = 'JournalUnreadable'
}

/** The content of a journal. */
export interface StoredChain {
  readonly snapshot: ChainSnapshot
  /** The steps after the snapshot. */
  readonly records: readonly ChainRecord[]
  /** Total size in bytes. */
  readonly bytes: number
}

// Version of the record format; other versions cannot be read.
const version = 2

/**
 * Reads the journal of a chain, and truncates an incomplete last record.
 *
 * @param file Path of the journal.
 * @returns Its content; undefined when there is none.
 * @throws {@link JournalUnreadable}
 */
export async function readSolanaJournal(file: string): Promise<StoredChain | undefined> {
  const handle = await open(file, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw unreadable(file, error)
  })
  if (handle === undefined) return undefined
  try {
    let snapshot: ChainSnapshot | undefined
    const records: ChainRecord[] = []
    const bytes = await readJournal(handle, (content) => {
      if (snapshot === undefined) snapshot = readSnapshot(content)
      else records.push(deserialize(content))
    })
    // A journal file is complete before it is renamed to this path.
    if (snapshot === undefined) throw new TypeError('the beginning is missing')
    return { snapshot, records, bytes }
  } catch (cause) {
    throw unreadable(file, cause)
  } finally {
    await handle.close()
  }
}

/**
 * Appends the steps of a chain to one file, synchronously.
 *
 * Data that the operating system has accepted survives the end of this process; a system crash may lose the last
 * seconds. A snapshot starts a new file.
 */
export class SolanaJournal implements ChainJournal {
  readonly #file: string
  readonly #maxGrowth: number
  readonly #onLost: (error: unknown) => void
  #descriptor: number
  #bytes: number
  #limit: number

  /**
   * Continues an existing journal.
   *
   * @param kept Its content.
   * @param maxGrowth Bytes by which the file may grow before a snapshot is due; a large file may double.
   * @param onLost Called when the disk cannot store more data.
   */
  constructor(
    file: string,
    { bytes }: Pick<StoredChain, 'bytes'>,
    maxGrowth: number,
    onLost: (error: unknown) => void,
  ) {
    this.#file = file
    this.#maxGrowth = maxGrowth
    this.#onLost = onLost
    this.#descriptor = openSync(file, 'r+')
    this.#bytes = bytes
    this.#limit = limitAfter(bytes, maxGrowth)
  }

  get isLong(): boolean {
    return this.#bytes > this.#limit
  }

  append(record: ChainRecord): void {
    try {
      this.#bytes += writeAll(this.#descriptor, frame(serialize(record)), this.#bytes)
    } catch (error) {
      this.#onLost(error)
      throw error
    }
  }

  begin(snapshot: ChainSnapshot): void {
    try {
      const bytes = writeNewJournal(this.#file, snapshot)
      closeSync(this.#descriptor)
      this.#descriptor = openSync(this.#file, 'r+')
      this.#bytes = bytes
      this.#limit = limitAfter(bytes, this.#maxGrowth)
    } catch (error) {
      this.#onLost(error)
      throw error
    }
  }

  async close(): Promise<void> {
    fsyncSync(this.#descriptor)
    closeSync(this.#descriptor)
  }
}

/**
 * Replaces a journal by a new one; the file at the path is complete at all times.
 *
 * @returns Its size in bytes.
 */
export function writeNewJournal(file: string, snapshot: ChainSnapshot): number {
  const temporaryFile = `${file}.draft`
  const descriptor = openSync(temporaryFile, 'w')
  try {
    const bytes = writeAll(descriptor, frame(serialize({ version, ...snapshot })), 0)
    fsyncSync(descriptor)
    renameSync(temporaryFile, file)
    return bytes
  } catch (error) {
    // On a full disk, the incomplete file must not use space.
    rmSync(temporaryFile, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

// The cost of a snapshot is proportional to its length, so at least that many bytes must lie between two of them.
function limitAfter(bytes: number, maxGrowth: number): number {
  return bytes + Math.max(bytes, maxGrowth)
}

function readSnapshot(content: Buffer): ChainSnapshot {
  const snapshot: ChainSnapshot & { version?: unknown } = deserialize(content)
  if (snapshot.version !== version) {
    throw new TypeError('the journal has an unsupported version')
  }
  return snapshot
}

function writeAll(descriptor: number, bytes: Buffer, position: number): number {
  // A nearly full disk stores only a part, and reports this only by the number of bytes.
  for (let written = 0; written < bytes.length;) {
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written)
  }
  return bytes.length
}

function unreadable(file: string, cause: unknown): JournalUnreadable {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new JournalUnreadable(
    `The journal of the Solana chain, ${file}, cannot be read: ${reason}. Replace it with an intact copy, or move it away to start a fresh chain. Nothing was deleted.`,
    { cause },
  )
}
