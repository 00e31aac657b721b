import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { type DirectoryLock, DirectoryLockError, lockDirectory } from '@fairlead/runtime/directory-lock'
import { StoreError } from './store-error.ts'
import { SyncedFiles } from './synced-files.ts'

/** The open embedded database with its lock. */
export interface EmbeddedDatabase {
  readonly pglite: PGlite
  readonly lock: DirectoryLock
}

/**
 * Start parameters of the embedded PostgreSQL: the defaults of PGlite, but with fsync, through the one sync call that
 * PGlite's runtime implements (fdatasync does nothing there). Only the control plane writes to it, and only rarely.
 */
export const startParams: string[] = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
]

/**
 * Opens the embedded database in `<dataDirectory>/control` and creates it on the first start.
 * @throws {@link StoreError} `STORE_IN_USE` when another process has it open, `STORE_INVALID` when the folder contains
 *   something else.
 */
export async function openEmbeddedDatabase(dataDirectory: string): Promise<EmbeddedDatabase> {
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  const lock = lockForDatabase(join(dataDirectory, 'control.lock'))
  try {
    const directory = join(dataDirectory, 'control')
    if (await isMissing(directory)) await createDatabase(directory)
    return { pglite: await openFiles(directory), lock }
  } catch (error) {
    lock.release()
    throw error
  }
}

function lockForDatabase(file: string): DirectoryLock {
  try {
    return lockDirectory(file)
  } catch (error) {
    if (!(error instanceof DirectoryLockError)) throw error
    const { holder, message, cause } = error
    if (holder === undefined) throw new StoreError('STORE_INVALID', message, { cause })
    throw new StoreError(
      'STORE_IN_USE',
      `The data directory is in use by process ${holder} (lock file ${file}). The embedded database serves one ` +
        'process at a time: stop that process, use another data directory, or use PostgreSQL for several processes.',
    )
  }
}

/** Whether a data directory contains a database. */
export async function hasEmbeddedDatabase(dataDirectory: string): Promise<boolean> {
  return !(await isMissing(join(dataDirectory, 'control')))
}

// The database is created in a temporary folder and then renamed: a killed process leaves no partial database behind.
async function createDatabase(directory: string): Promise<void> {
  const draft = `${directory}.initializing`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { mode: 0o700 })
  const pglite = await openFiles(draft)
  await pglite.close()
  await rename(draft, directory)
}

async function openFiles(directory: string): Promise<PGlite> {
  return PGlite.create({ fs: new SyncedFiles(directory), startParams })
}

async function isMissing(directory: string): Promise<boolean> {
  let entries: string[]
  try {
    entries = await readdir(directory)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return true
    throw error
  }
  if (entries.length === 0) return true
  if (entries.includes('PG_VERSION')) return false
  throw new StoreError('STORE_INVALID', `${directory} is not empty and contains no database.`)
}
