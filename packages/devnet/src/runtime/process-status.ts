import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Reads the status of a process on Linux.
 *
 * @param pid Process id.
 * @returns The fields of `/proc/<pid>/stat` from the third one on, the state.
 * @throws Error when there is no such process.
 */
export function readStat(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the command in parentheses and may itself contain spaces and parentheses.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/**
 * Reads a value of a process with `ps`.
 *
 * @param pid Process id.
 * @param keyword Keyword of the value, for example `lstart`.
 * @throws Error when there is no such process.
 */
export function readPs(pid: number, keyword: string): string {
  return execFileSync('/bin/ps', ['-o', `${keyword}=`, '-p', String(pid)], { encoding: 'utf8' }).trim()
}
