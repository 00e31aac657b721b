import { DatabaseSync } from 'node:sqlite'

/** A directory cannot be locked. */
export class DirectoryLockError extends Error {
  override readonly name = 'DirectoryLockError'
  /** Path of the lock file. */
  readonly file: string
  /** Id of the process that holds the lock; undefined when the file is no lock file. */
  readonly holder: number | undefined

  constructor(file: string, holder: number | undefined, options?: { cause?: unknown }) {
    super(
      holder === undefined
        ? `${file} is no lock file of this service.`
        : `The directory is in use by process ${holder} (lock file ${file}).`,
      options,
    )
    this.file = file
    this.holder = holder
  }
}

/** A held lock; `release` may be called more than once. */
export interface DirectoryLock {
  release(): void
}

/**
 * Takes the lock that keeps a second process out of a data directory.
 *
 * SQLite asks the operating system for it, which takes it back however the process ends: no lock is ever stale, and no
 * process id has to be trusted.
 *
 * @param file - path of the lock file; it stays behind, empty but for the id of the last process that held the lock
 * @throws {@link DirectoryLockError} when a living process holds it, or the file is no lock
 */
export function lockDirectory(file: string): DirectoryLock {
  const database = new DatabaseSync(file, { timeout: readMs })
  try {
    // Written down before the lock is taken for good: while it is held, others can read but nobody can write.
    database.exec(`begin immediate; pragma user_version = ${process.pid}; commit; begin immediate`)
  } catch (error) {
    const rejection = rejectionOf(error, database, file)
    database.close()
    throw rejection
  }
  return {
    release: () => {
      if (database.isOpen) database.close()
    },
  }
}

const sqliteBusy = 5
// Somebody who reads the holder's id keeps a writer out for a moment.
const readMs = 100

function rejectionOf(error: unknown, database: DatabaseSync, file: string): DirectoryLockError {
  if (!(error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy)) {
    return new DirectoryLockError(file, undefined, { cause: error })
  }
  return new DirectoryLockError(file, Number(database.prepare('pragma user_version').get()?.['user_version']))
}
