import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DevnetError } from './devnet-error.ts'
import { identifyProcess, isRunning, type ProcessIdentity } from './process-identity.ts'

const pollMs = 50

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
 * A lock of a process that no longer runs is taken over.
 *
 * @param options See {@link DirectoryLockOptions}.
 * @returns Gives the lock back.
 * @throws {@link DevnetError} `DEVNET_LOCKED` when the holder keeps it for too long.
 */
export async function lockDirectory(options: DirectoryLockOptions): Promise<() => void> {
  const { file } = options
  const own = JSON.stringify(identifyProcess(process.pid))
  const deadline = Date.now() + options.waitMs
  let told = false
  while (!tryLock(file, own)) {
    const holder = readHolder(file)
    if (holder === undefined || !isRunning(holder)) {
      removeStale(file, holder)
      continue
    }
    if (Date.now() >= deadline) {
      throw new DevnetError(
        'DEVNET_LOCKED',
        `Process ${holder.pid} already runs a development chain on this data directory (${file}). Stop it, or choose another directory.`,
      )
    }
    if (!told) options.onWait(holder.pid)
    told = true
    await sleep(pollMs, undefined, { signal: options.signal })
  }
  return () => rmSync(file, { force: true })
}

// A link appears with its content; a file created in place could be read while it is still empty.
function tryLock(file: string, content: string): boolean {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, content)
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function readHolder(file: string): ProcessIdentity | undefined {
  try {
    const holder: Partial<ProcessIdentity> = JSON.parse(readFileSync(file, 'utf8'))
    const { pid, began } = holder
    return typeof pid === 'number' && typeof began === 'string' ? { pid, began } : undefined
  } catch {
    return undefined
  }
}

// Between the look at the lock and its removal another process may have replaced it by its own. What was moved
// aside is therefore looked at again, and put back when it belongs to a living process.
function removeStale(file: string, stale: ProcessIdentity | undefined): void {
  const aside = `${file}.stale.${process.pid}`
  try {
    renameSync(file, aside)
  } catch {
    return
  }
  const moved = readHolder(aside)
  if (moved !== undefined && moved.pid !== stale?.pid && isRunning(moved)) linkSync(aside, file)
  rmSync(aside, { force: true })
}
