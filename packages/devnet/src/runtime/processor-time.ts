import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Returns the processor time that a running process has used, in the format of the operating system.
 *
 * @param pid Process id.
 * @returns `undefined` when there is no such process, and where the system does not report the time.
 */
export function processorTime(pid: number): string | undefined {
  if (process.platform === 'win32') return undefined
  try {
    return process.platform === 'linux' ? readProc(pid) : runPs(pid)
  } catch {
    return undefined
  }
}

function readProc(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the command in parentheses and may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [fields[11], fields[12]]
  return `${user}/${system}`
}

function runPs(pid: number): string {
  return execFileSync('/bin/ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' }).trim()
}
