import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { DevnetError } from './devnet-error.ts'

const pollMs = 50
// A process that reads the holder's id blocks a writer for a short time.
const readMs = 100

/** Options of a directory lock. */
export interface DirectoryLockOptions {
  /** Path of the lock file. */
  file: string
  /** Milliseconds to wait for the current holder. */
  waitMs: number
  /** Called once when the function has to wait for a holder. */
  onWait: (pid: number) => void
  signal: AbortSignal
}

/**
 * Acquires the lock of a data directory for this process, and waits for the current holder.
 *
 * SQLite acquires it from the operating system, which releases it however the process ends: a lock is never stale.
 *
 * @param options See {@link DirectoryLockOptions}.
 * @returns A function that releases the lock.
 * @throws {@link DevnetError} `DEVNET_LOCKED` when the holder does not release it in time.
 */
export async function lockDirectory(options: DirectoryLockOptions): Promise<() => void> {
  const { file, waitMs, onWait, signal } = options
  const database = new DatabaseSync(file, { timeout: readMs })
  const deadline = Date.now() + waitMs
  let isReported = false
  try {
    while (!tryLock(database)) {
      const pid = Number(database.prepare('pragma user_version').get()?.['user_version'])
      if (Date.now() >= deadline) {
        throw new DevnetError(
          'DEVNET_LOCKED',
          `Process ${pid} already runs a development chain on this data directory (${file}). Stop it, or choose another directory.`,
        )
      }
      if (!isReported) onWait(pid)
      isReported = true
      await sleep(pollMs, undefined, { signal })
    }
  } catch (error) {
    database.close()
    throw error
  }
  return () => {
    if (database.isOpen) database.close()
  }
}

const sqliteBusy = 5

function tryLock(database: DatabaseSync): boolean {
  try {
    // Written before the final lock is acquired: while it is held, other processes can read but not write.
    database.exec(`begin immediate; pragma user_version = ${process.pid}; commit; begin immediate`)
    return true
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return false
    throw error
  }
}
