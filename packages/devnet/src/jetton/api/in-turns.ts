import { setImmediate } from 'node:timers/promises'

/**
 * Writes rows one after the other, and lets other requests have their turn before each: to read a transaction takes
 * long enough to be felt when there are a thousand of them.
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
