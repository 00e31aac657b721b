import { DatabaseSync } from 'node:sqlite'

/** A directory cannot be locked. */
export class DirectoryLockError extends Error {
  override readonly name = 'DirectoryLockError'
  /** Path of the lock file. */
  readonly file: string
  /** Id of the process that holds the lock; undefined when the file is not a lock file. */
  readonly holder: number | undefined

  constructor(file: string, holder: number | undefined, options?: { cause?: unknown }) {
    super(
      holder === undefined
        ? `${file} is not a lock file of the gateway.`
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
 * Acquires the lock of a data directory, so that no second process can use it.
 *
 * SQLite uses a lock of the operating system, which releases it however the process ends: a lock is never stale, and no
 * process id has to be trusted.
 *
 * @param file - path of the lock file; it is not deleted, and contains only the id of the last process that held the
 * lock
 * @throws {@link DirectoryLockError} when a running process holds the lock, or the file is not a lock file
 */
export function lockDirectory(file: string): DirectoryLock {
  const database = new DatabaseSync(file, { timeout: readMs })
  try {
    // The process id is committed before the lock is acquired: while the lock is held, other processes can read but not
    // write.
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
// A process that reads the holder's id blocks a writer for a short time.
const readMs = 100

function rejectionOf(error: unknown, database: DatabaseSync, file: string): DirectoryLockError {
  if (!(error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy)) {
    return new DirectoryLockError(file, undefined, { cause: error })
  }
  return new DirectoryLockError(file, Number(database.prepare('pragma user_version').get()?.['user_version']))
}
