import { describe } from 'vitest'
import { type TemporaryDatabase, backends } from './temporary-store.ts'

/**
 * Declares tests that depend on the earlier ones, for each database. `describe.each` does not accept `shuffle`.
 *
 * @param title - the name of the database is appended
 * @param declare - declares the tests
 */
export function describeInOrder(
  title: string,
  declare: (create: () => Promise<TemporaryDatabase>) => void,
): void {
  for (const { name, create } of backends)
    describe(`${title} on ${name}`, { shuffle: false }, () => declare(create))
}
