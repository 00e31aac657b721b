import { setImmediate } from 'node:timers/promises'

/**
 * Formats rows one after the other, and runs other requests before each: formatting a thousand transactions would block
 * them noticeably.
 */
export async function writeInTurns<row, written>(
  rows: readonly row[],
  write: (row: row) => written,
): Promise<written[]> {
  const all: written[] = []
  for (const row of rows) {
    await setImmediate()
    all.push(write(row))
  }
  return all
}
