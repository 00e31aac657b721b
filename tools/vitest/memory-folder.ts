import { accessSync, constants, statfsSync } from 'node:fs'

const folder = '/dev/shm'
const leastFreeBytes = 4 * 1_024 ** 3

/**
 * Finds a folder in memory for what tests write, as a database of a thousand files is copied and deleted again and again.
 * What a disk is needed for, as the end of its room, brings its own.
 *
 * @returns undefined where there is none, or too little room in it
 */
export function memoryFolder(): string | undefined {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= leastFreeBytes ? folder : undefined
  } catch {
    return undefined
  }
}
