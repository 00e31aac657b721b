import { readFileSync } from 'node:fs'
import { readPs, readStat } from './process-status.ts'

/** A process identity that distinguishes a process from a later one with the same id. */
export interface ProcessIdentity {
  pid: number
  /** When the process began, in the format of the operating system; empty where the system does not report it. */
  began: string
}

/**
 * Returns the identity of a running process.
 *
 * A process id alone is not enough: in a container the process often gets the same id at every start, and a file that
 * the previous process left would seem to belong to a running one.
 *
 * @param pid Process id.
 * @returns `undefined` when there is no such process, or when it has exited and its parent has not reaped it yet.
 */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (process.platform === 'linux') return identifyByProc(pid)
  if (!acceptsSignals(pid)) return undefined
  return { pid, began: process.platform === 'win32' ? '' : startTime(pid) }
}

/**
 * Whether a previously identified process still runs.
 *
 * @param identity Result of {@link identifyProcess}, possibly from another process.
 */
export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.began === identity.began
}

function identifyByProc(pid: number): ProcessIdentity | undefined {
  try {
    const fields = readStat(pid)
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

function startTime(pid: number): string {
  try {
    return readPs(pid, 'lstart')
  } catch {
    return ''
  }
}
