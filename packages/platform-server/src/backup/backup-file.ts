import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Store } from '../store/open-store.ts'
import { StoreError } from '../store/store-error.ts'
import { linesOf } from './lines.ts'
import { readBackup } from './read-backup.ts'
import { restoreBackup } from './restore-backup.ts'
import { writeBackup } from './write-backup.ts'

/**
 * Writes a compressed backup file that only its owner can read, and reads it again. The file appears only when it is
 * complete and readable.
 *
 * @throws StoreError `STORE_INVALID` when the written file cannot be read as a complete backup
 */
export async function writeBackupFile(store: Pick<Store, 'db'>, file: string): Promise<void> {
  const draft = `${file}.${process.pid}`
  try {
    const lines = Readable.from(withLineEnds(writeBackup(store.db)))
    await pipeline(lines, createGzip(), createWriteStream(draft, { mode: 0o600, flags: 'wx', flush: true }))
    await verifyBackupFile(draft)
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/**
 * Restores the records of a backup file into an empty database, in one transaction.
 *
 * @returns number of restored rows
 * @throws StoreError `STORE_INVALID` when the file is unreadable or not a complete backup, and the errors of
 *   `restoreBackup`
 */
export async function restoreBackupFile(
  store: Pick<Store, 'db' | 'encryptor'>,
  file: string,
): Promise<number> {
  return withLinesOf(file, (lines) => restoreBackup(store, lines))
}

/**
 * Reads a backup file to its end.
 *
 * @throws StoreError `STORE_INVALID` when the file is unreadable or not a complete backup
 */
export async function verifyBackupFile(file: string): Promise<void> {
  await withLinesOf(file, async (lines) => {
    for await (const _ of readBackup(lines));
  })
}

async function withLinesOf<result>(
  file: string,
  read: (lines: AsyncIterable<string>) => Promise<result>,
): Promise<result> {
  const unpacked = createGunzip()
  const reading = pipeline(createReadStream(file), unpacked)
  // The reader of the lines gets the same error.
  reading.catch(() => undefined)
  try {
    return await read(linesOf(unpacked))
  } catch (error) {
    const failure = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (failure === 'ENOENT' || failure === 'EACCES') {
      throw new StoreError('STORE_INVALID', `The backup must be a readable file: ${failure}.`)
    }
    if (failure.startsWith('Z_')) throw new StoreError('STORE_INVALID', 'The backup is incomplete.')
    throw error
  } finally {
    unpacked.destroy()
  }
}

async function* withLineEnds(lines: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  for await (const line of lines) yield `${line}\n`
}
