import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import { frame, readJournal } from '../../runtime/journal-file.ts'
import type { ChainJournal, ChainRecord, ChainSnapshot } from '../chain/chain-record.ts'

/** The journal of a chain is damaged, or the system does not give it; the message says what to do. */
export class JournalUnreadable extends Error {
  override readonly name = 'JournalUnreadable'
}

/** What a journal held when it was read. */
export interface KeptChain {
  readonly snapshot: ChainSnapshot
  /** What happened since. */
  readonly records: readonly ChainRecord[]
  /** Bytes of all of it. */
  readonly bytes: number
}

// Form of the records; another one cannot be read.
const version = 2

/**
 * Reads the journal of a chain, and cuts off a last record that was not written to its end.
 *
 * @param file Path of the journal.
 * @returns Its content; undefined when there is none.
 * @throws {@link JournalUnreadable}
 */
export async function readSolanaJournal(file: string): Promise<KeptChain | undefined> {
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
    // It was complete before it got its name.
    if (snapshot === undefined) throw new TypeError('the beginning is missing')
    return { snapshot, records, bytes }
  } catch (cause) {
    throw unreadable(file, cause)
  } finally {
    await handle.close()
  }
}

/**
 * Writes what happens on a chain into one file, at once: what the system has taken survives the end of this process,
 * and the end of the system may take the last seconds along. A snapshot begins the file anew.
 */
export class SolanaJournal implements ChainJournal {
  readonly #file: string
  readonly #mostGrowth: number
  readonly #onLost: (error: unknown) => void
  #descriptor: number
  #bytes: number
  #limit: number

  /**
   * Goes on with a journal.
   *
   * @param kept What it holds.
   * @param mostGrowth Bytes by which the file may grow before a snapshot is due; a large one may double.
   * @param onLost Hears that the disk does not take any more.
   */
  constructor(
    file: string,
    { bytes }: Pick<KeptChain, 'bytes'>,
    mostGrowth: number,
    onLost: (error: unknown) => void,
  ) {
    this.#file = file
    this.#mostGrowth = mostGrowth
    this.#onLost = onLost
    this.#descriptor = openSync(file, 'r+')
    this.#bytes = bytes
    this.#limit = limitAfter(bytes, mostGrowth)
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
      this.#limit = limitAfter(bytes, this.#mostGrowth)
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
 * Puts a new journal in the place of an old one; the file is complete at every moment.
 *
 * @returns Its bytes.
 */
export function writeNewJournal(file: string, snapshot: ChainSnapshot): number {
  const draft = `${file}.draft`
  const descriptor = openSync(draft, 'w')
  try {
    const bytes = writeAll(descriptor, frame(serialize({ version, ...snapshot })), 0)
    fsyncSync(descriptor)
    renameSync(draft, file)
    return bytes
  } catch (error) {
    // Where there is no room for it, it shall take none.
    rmSync(draft, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

// A snapshot costs what it is long, so what comes between two of them must not be less.
function limitAfter(bytes: number, mostGrowth: number): number {
  return bytes + Math.max(bytes, mostGrowth)
}

function readSnapshot(content: Buffer): ChainSnapshot {
  const snapshot: ChainSnapshot & { version?: unknown } = deserialize(content)
  if (snapshot.version !== version) {
    throw new TypeError('the journal has a form that this version does not know')
  }
  return snapshot
}

function writeAll(descriptor: number, bytes: Buffer, position: number): number {
  // A disk that is nearly full takes a part, and says so by the number alone.
  for (let written = 0; written < bytes.length;) {
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written)
  }
  return bytes.length
}

function unreadable(file: string, cause: unknown): JournalUnreadable {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new JournalUnreadable(
    `The journal of the Solana chain, ${file}, cannot be read: ${why}. Put a good copy in its place, or move it away to start a fresh chain. Nothing was deleted.`,
    { cause },
  )
}
