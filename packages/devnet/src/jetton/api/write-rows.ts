import { setImmediate } from 'node:timers/promises'

/**
 * Formats rows one after the other, and runs other requests before each: formatting a thousand transactions would block
 * them noticeably.
 */
export async function writeRows<row, result>(
  rows: readonly row[],
  write: (row: row) => result,
): Promise<result[]> {
  const all: result[] = []
  for (const row of rows) {
    await setImmediate()
    all.push(write(row))
  }
  return all
}
