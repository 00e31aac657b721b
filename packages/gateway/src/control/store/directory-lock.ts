import { randomUUID } from 'node:crypto'
import { link, open, readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { StoreError } from './store-error.ts'

const heartbeatMs = 5_000
// Long enough for a process that is busy for a while, short enough for a container that comes back after a crash.
const silentMs = 20_000
const takeoverMs = 10_000

interface Holder {
  readonly pid: number
  /** When the process began, as the kernel counts it: tells a process from a later one with the same pid. */
  readonly began: string | null
  readonly host: string
  readonly id: string
}

/** A held lock; `release` may be called more than once. */
export interface DirectoryLock {
  release(): Promise<void>
}

const held = new Set<string>()

/**
 * Takes the lock file that keeps a second process out of a data directory. A lock left behind by a process that is gone
 * is recognised and replaced.
 * @throws {@link StoreError} `STORE_IN_USE` when a living process holds it.
 */
export async function lockDirectory(file: string): Promise<DirectoryLock> {
  const own: Holder = {
    pid: process.pid,
    began: await processStart(process.pid),
    host: hostname(),
    id: randomUUID(),
  }
  const draft = `${file}.${own.id}`
  // The file is written aside and linked into place: a lock is never seen half written.
  await writeFile(draft, JSON.stringify(own), { flag: 'wx', mode: 0o600 })
  try {
    for (let attempt = 0; ; attempt++) {
      if (await linked(draft, file)) return hold(file, own)
      const holder = await readHolder(file)
      if (holder !== undefined && (await isAlive(holder, file))) throw inUse(file, holder)
      if (attempt >= 20) throw inUse(file, holder)
      await removeStale(file, holder)
    }
  } finally {
    await unlink(draft)
  }
}

function hold(file: string, own: Holder): DirectoryLock {
  held.add(own.id)
  const heartbeat = setInterval(() => {
    const now = new Date()
    utimes(file, now, now).catch(() => {})
  }, heartbeatMs)
  heartbeat.unref()
  return {
    async release() {
      if (!held.delete(own.id)) return
      clearInterval(heartbeat)
      // After a takeover the file belongs to someone else.
      if ((await readHolder(file))?.id === own.id) await unlink(file)
    },
  }
}

async function isAlive(holder: Holder, file: string): Promise<boolean> {
  // Another host, or another container on the same volume: its process ids say nothing here, so the heartbeat decides.
  if (holder.host !== hostname()) return !(await olderThan(file, silentMs))
  if (holder.pid === process.pid) {
    // A container gives its first process the same pid every time, so the own pid alone proves nothing.
    return held.has(holder.id)
  }
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if (!hasCode(error, 'EPERM')) return false
  }
  const began = await processStart(holder.pid)
  return began === null || holder.began === null || began === holder.began
}

// Two processes that find the same stale lock must not both remove it: the slower one would remove the lock that the
// faster one has just taken. A second exclusive file admits one of them at a time.
async function removeStale(file: string, stale: Holder | undefined): Promise<void> {
  const gate = `${file}.takeover`
  try {
    const handle = await open(gate, 'wx', 0o600)
    await handle.close()
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
    if (await olderThan(gate, takeoverMs)) await unlinkIfThere(gate)
    await new Promise((resolve) => setTimeout(resolve, 25))
    return
  }
  try {
    const current = await readHolder(file)
    if (current?.id === stale?.id) await unlinkIfThere(file)
  } finally {
    await unlinkIfThere(gate)
  }
}

async function linked(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    const content: unknown = JSON.parse(await readFile(file, 'utf8'))
    return isHolder(content) ? content : undefined
  } catch {
    // Gone meanwhile, or written by something else and damaged: no living holder in either case.
    return undefined
  }
}

function isHolder(content: unknown): content is Holder {
  return (
    typeof content === 'object' &&
    content !== null &&
    'pid' in content &&
    typeof content.pid === 'number' &&
    'host' in content &&
    typeof content.host === 'string' &&
    'id' in content &&
    typeof content.id === 'string' &&
    'began' in content &&
    (content.began === null || typeof content.began === 'string')
  )
}

// The 22nd field of /proc/<pid>/stat; the second is a name in parentheses that may itself hold spaces. Elsewhere null.
async function processStart(pid: number): Promise<string | null> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}

async function olderThan(file: string, ms: number): Promise<boolean> {
  try {
    return Date.now() - (await stat(file)).mtimeMs > ms
  } catch {
    return true
  }
}

async function unlinkIfThere(file: string): Promise<void> {
  try {
    await unlink(file)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function inUse(file: string, holder: Holder | undefined): StoreError {
  const where =
    holder === undefined
      ? 'another process'
      : `process ${holder.pid}${holder.host === hostname() ? '' : ` on ${holder.host}`}`
  return new StoreError(
    'STORE_IN_USE',
    `The data directory is in use by ${where} (lock file ${file}). The embedded database serves one process at a ` +
      'time: stop that process, choose another data directory, or use PostgreSQL to run several.',
  )
}
