import { open, type FileHandle } from 'node:fs/promises'
import type { Commit } from '../chain/block-producer.ts'
import type { ChainJournal } from '../chain/embedded-jetton-chain.ts'
import { readSnapshot, readStep, writeStep, type JournalStep, type Snapshot } from './journal-coding.ts'
import { frame, readJournal, replaceJournal, writeDurably } from '../../runtime/journal-file.ts'

/** The journal of a chain is damaged or cannot be read; the message names the next step. */
export class JournalUnreadable extends Error {
  override readonly name = 'JournalUnreadable'
}

/** The content of a journal. */
export interface JournalContent {
  readonly snapshot: Snapshot
  readonly steps: readonly JournalStep[]
  readonly handle: FileHandle
  readonly bytes: number
}

/**
 * Reads the journal of a chain.
 *
 * @param file Path of the journal.
 * @returns Its content; undefined when there is none.
 * @throws {@link JournalUnreadable}
 */
export async function readChainJournal(file: string): Promise<JournalContent | undefined> {
  const handle = await open(file, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw unreadable(file, error)
  })
  if (handle === undefined) return undefined
  try {
    const steps: JournalStep[] = []
    let snapshot: Snapshot | undefined
    const bytes = await readJournal(handle, (content) => {
      if (snapshot === undefined) snapshot = readSnapshot(content)
      else steps.push(readStep(content))
    })
    // A journal file is complete before it is renamed to this path.
    if (snapshot === undefined || steps.length === 0) throw new TypeError('the beginning is missing')
    return { snapshot, steps, handle, bytes }
  } catch (cause) {
    await handle.close()
    throw unreadable(file, cause)
  }
}

function unreadable(file: string, cause: unknown): JournalUnreadable {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new JournalUnreadable(
    `The journal of the jetton chain, ${file}, cannot be read: ${reason}. Replace it with an intact copy, or move it away to start a fresh chain. Nothing was deleted.`,
    { cause },
  )
}

/** Appends all changes to one file, and rewrites the file when it has become long. */
export class FileJournal implements ChainJournal {
  readonly #file: string
  readonly #contents: () => readonly Buffer[]
  readonly #maxGrowth: number
  #handle: FileHandle
  #bytes: number
  #limit: number
  #waiting: Buffer[] = []
  #current: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  private constructor(
    file: string,
    contents: () => readonly Buffer[],
    maxGrowth: number,
    opened: { handle: FileHandle; bytes: number },
  ) {
    this.#file = file
    this.#contents = contents
    this.#maxGrowth = maxGrowth
    this.#handle = opened.handle
    this.#bytes = opened.bytes
    this.#limit = opened.bytes + maxGrowth
  }

  /**
   * Starts the journal.
   *
   * @param file Path of the journal.
   * @param contents Returns all records of a new journal: the whole current chain.
   * @param maxGrowth Bytes by which the file may grow before it is rewritten.
   * @param existing The journal that was read; without one a new file is created.
   */
  static async begin(
    file: string,
    contents: () => readonly Buffer[],
    maxGrowth: number,
    existing: Pick<JournalContent, 'handle' | 'bytes'> | undefined,
  ): Promise<FileJournal> {
    if (existing !== undefined && existing.bytes <= maxGrowth)
      return new FileJournal(file, contents, maxGrowth, existing)
    await existing?.handle.close()
    return new FileJournal(file, contents, maxGrowth, await replaceJournal(file, contents()))
  }

  append({ step, accounts, index }: Commit): Promise<void> {
    this.#waiting.push(frame(writeStep({ step, accounts: [...accounts], index })))
    // Changes that arrive while the disk is busy are written together afterwards.
    this.#next ??= this.#current.then(() => this.#write())
    return this.#next
  }

  async close(): Promise<void> {
    try {
      await (this.#next ?? this.#current)
    } finally {
      await this.#handle.close()
    }
  }

  async #write(): Promise<void> {
    if (this.#next !== undefined) this.#current = this.#next
    this.#next = undefined
    const records = this.#waiting
    this.#waiting = []
    if (this.#bytes > this.#limit) return this.#rewrite()
    const bytes = Buffer.concat(records)
    await writeDurably(this.#handle, bytes, this.#bytes)
    this.#bytes += bytes.length
  }

  // The current chain includes all pending changes.
  async #rewrite(): Promise<void> {
    const { handle, bytes } = await replaceJournal(this.#file, this.#contents())
    await this.#handle.close()
    this.#handle = handle
    this.#bytes = bytes
    this.#limit = bytes + this.#maxGrowth
  }
}
