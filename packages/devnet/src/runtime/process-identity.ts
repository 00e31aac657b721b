import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A process that cannot be mistaken for a later one with the same id. */
export interface ProcessIdentity {
  pid: number
  /** When the process began, in whatever form the system tells it; empty where it does not tell. */
  began: string
}

/**
 * Names a running process.
 *
 * A process id alone is not enough: in a container every start of a service tends to get the same one, and a file
 * left behind by the one before would seem to belong to a living process.
 *
 * @param pid Process id.
 * @returns `undefined` when there is no such process, or when it has ended and only its parent has not noticed.
 */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (process.platform === 'linux') return identifyByProc(pid)
  if (!acceptsSignals(pid)) return undefined
  return { pid, began: process.platform === 'win32' ? '' : askPs(pid) }
}

/**
 * Tells whether a process named earlier still runs.
 *
 * @param identity What {@link identifyProcess} returned, perhaps in another process.
 */
export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.began === identity.began
}

function identifyByProc(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the command in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const state = fields[0]
    if (state === 'Z' || state === 'X') return undefined
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { pid, began: `${boot}/${fields[19]}` }
  } catch {
    return undefined
  }
}

function acceptsSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function askPs(pid: number): string {
  try {
    return execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  } catch {
    return ''
  }
}
