import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { copyEmptyDatabase, makeTemplate } from '@fairlead/vitest/database-template'
import { openStore } from '../store/open-store.ts'

/**
 * Puts an embedded database of the present version, without any records, and the secret key that it was made with where a
 * service looks for its own: to make one takes longer than most tests. It is made once for all test runs of this machine.
 *
 * @param dataDirectory - of a service that was not started yet
 */
export async function copyMigratedDatabase(dataDirectory: string): Promise<void> {
  const template = await migratedDatabase()
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  cpSync(template, dataDirectory, { recursive: true })
}

let made: Promise<string> | undefined

function migratedDatabase(): Promise<string> {
  return (made ??= makeTemplate('fairlead-migrated-database', versionOfStore(), async (draft) => {
    await copyEmptyDatabase(draft)
    await (await openStore({ dataDirectory: draft })).close()
  }))
}

/** Another one for each engine, and for each change of what makes the tables and the key. */
function versionOfStore(): string {
  const engine = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  return [
    engine,
    ...sourcesBeside(import.meta.resolve('../store/open-store.ts')),
    ...sourcesBeside(import.meta.resolve('@fairlead/gateway-core/credentials/sealing')),
  ].join('\n')
}

function sourcesBeside(module: string): readonly string[] {
  const place = new URL('.', module)
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .toSorted()
    .map((name) => readFileSync(new URL(name, place), 'utf8'))
}
