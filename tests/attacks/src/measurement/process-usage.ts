import { readdirSync, readFileSync } from 'node:fs'

/** Resident memory of a process in MiB. 0 when it has ended. */
export function residentMb(processId: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readOrEmpty(`/proc/${processId}/status`))?.[1] ?? 0) / 1_024
}

/** CPU time of the main thread of a process in milliseconds, without the threads of the garbage collector. */
export function mainThreadMs(processId: number): number {
  return Number(readOrEmpty(`/proc/${processId}/schedstat`).split(' ')[0]) / 1e6
}

/** Whether a process exists and is no zombie. */
export function isRunning(processId: number): boolean {
  const state = /^State:\s+(\w)/m.exec(readOrEmpty(`/proc/${processId}/status`))?.[1]
  return state !== undefined && state !== 'Z' && state !== 'X'
}

/** Ids of the child processes of a process. */
export function childrenOf(processId: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(
      (id) =>
        readOrEmpty(`/proc/${id}/stat`)
          .replace(/^.*\) /s, '')
          .split(' ')[1] === String(processId),
    )
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
