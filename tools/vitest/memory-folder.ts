import { accessSync, constants, statfsSync } from 'node:fs'

const folder = '/dev/shm'
const minFreeBytes = 4 * 1_024 ** 3

/**
 * Returns an in-memory folder for the files of tests, because a database of a thousand files is copied and deleted
 * repeatedly. Tests that need a disk, for example a full one, create their own.
 *
 * @returns undefined without such a folder, or if it has too little space
 */
export function memoryFolder(): string | undefined {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= minFreeBytes ? folder : undefined
  } catch {
    return undefined
  }
}
