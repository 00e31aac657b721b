import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { copyEmptyDatabase, makeTemplate } from '@fairlead/vitest/database-template'
import { openStore } from '../store/open-store.ts'

/**
 * Copies an embedded database of the current version, without any records, and its secret key into a data directory,
 * because creating one takes longer than most tests. The template is created once for all test runs on this machine.
 *
 * @param dataDirectory - data directory of a store that has not been opened yet
 */
export async function copyMigratedDatabase(dataDirectory: string): Promise<void> {
  const template = await migratedDatabase()
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  cpSync(template, dataDirectory, { recursive: true })
}

let creation: Promise<string> | undefined

function migratedDatabase(): Promise<string> {
  return (creation ??= makeTemplate('fairlead-migrated-database', versionOfStore(), async (draft) => {
    await copyEmptyDatabase(draft)
    await (await openStore({ dataDirectory: draft })).close()
  }))
}

/** Cache key: differs for each engine, and for each change of the code that creates the tables and the key. */
function versionOfStore(): string {
  const engine = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  return [
    engine,
    ...siblingSources(import.meta.resolve('../store/open-store.ts')),
    ...siblingSources(import.meta.resolve('@fairlead/gateway-core/credentials/encryption')),
  ].join('\n')
}

function siblingSources(module: string): readonly string[] {
  const folder = new URL('.', module)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .toSorted()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
}
