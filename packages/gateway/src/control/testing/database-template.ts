import { hash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyEmptyDatabase } from '@fairlead/vitest/database-template'
import { openStore } from '../store/open-store.ts'

/**
 * Puts an embedded database of the present version, without any records, and the secret key that it was made with where a
 * service looks for its own: to make one takes longer than most tests. It is made once for all test runs of this machine.
 *
 * @param dataDirectory - of a service that was not started yet
 */
export async function copyMigratedDatabase(dataDirectory: string): Promise<void> {
  const template = await (made ??= make())
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  cpSync(template, dataDirectory, { recursive: true })
}

let made: Promise<string> | undefined

async function make(): Promise<string> {
  const directory = join(tmpdir(), `fairlead-migrated-database-${versionOfMigrations()}`)
  if (await isThere(directory)) return directory
  const draft = await mkdtemp(`${directory}-`)
  await copyEmptyDatabase(draft)
  await (await openStore({ dataDirectory: draft })).close()
  try {
    await rename(draft, directory)
  } catch {
    // Another suite was faster.
    await rm(draft, { recursive: true })
  }
  return directory
}

/** Another one for each change of what makes the tables. */
function versionOfMigrations(): string {
  const folder = new URL('../store/migrations/', import.meta.url)
  const texts = readdirSync(folder)
    .toSorted()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  return hash('sha256', texts.join('\n')).slice(0, 16)
}

async function isThere(directory: string): Promise<boolean> {
  return stat(directory).then(
    () => true,
    () => false,
  )
}
