import { readPs, readStat } from './process-status.ts'

/**
 * Returns the processor time that a running process has used, in the format of the operating system.
 *
 * @param pid Process id.
 * @returns `undefined` when there is no such process, and where the system does not report the time.
 */
export function processorTime(pid: number): string | undefined {
  if (process.platform === 'win32') return undefined
  try {
    if (process.platform !== 'linux') return readPs(pid, 'time')
    const [user, system] = readStat(pid).slice(11)
    return `${user} ${system}`
  } catch {
    return undefined
  }
}
