import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { DevnetError } from './devnet-error.ts'

const pollMs = 50
// Somebody who reads the holder's id keeps a writer out for a moment.
const readMs = 100

/** How to take a lock. */
export interface DirectoryLockOptions {
  /** Path of the lock file. */
  file: string
  /** Milliseconds to wait for the present holder. */
  waitMs: number
  /** Called once when there is a holder to wait for. */
  onWait: (pid: number) => void
  signal: AbortSignal
}

/**
 * Takes the lock of a data directory for this process and waits for the present holder.
 *
 * SQLite asks the operating system for it, which takes it back however the process ends: no lock is ever stale.
 *
 * @param options See {@link DirectoryLockOptions}.
 * @returns Gives the lock back.
 * @throws {@link DevnetError} `DEVNET_LOCKED` when the holder keeps it for too long.
 */
export async function lockDirectory(options: DirectoryLockOptions): Promise<() => void> {
  const { file, waitMs, onWait, signal } = options
  const database = new DatabaseSync(file, { timeout: readMs })
  const deadline = Date.now() + waitMs
  let told = false
  try {
    while (!tryLock(database)) {
      const pid = Number(database.prepare('pragma user_version').get()?.['user_version'])
      if (Date.now() >= deadline) {
        throw new DevnetError(
          'DEVNET_LOCKED',
          `Process ${pid} already runs a development chain on this data directory (${file}). Stop it, or choose another directory.`,
        )
      }
      if (!told) onWait(pid)
      told = true
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
    // Written down before the lock is taken for good: while it is held, others can read but nobody can write.
    database.exec(`begin immediate; pragma user_version = ${process.pid}; commit; begin immediate`)
    return true
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return false
    throw error
  }
}
