import { hash } from 'node:crypto'
import { cpSync } from 'node:fs'
import { mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

/**
 * Puts an embedded database without any tables where a service looks for its own, as to make one takes longer than all
 * else of a first start. It is made once for all test runs of this machine.
 *
 * @param dataDirectory - of a service that was not started yet
 */
export async function copyEmptyDatabase(dataDirectory: string): Promise<void> {
  // A thousand files: one by one through promises they take twelve times as long.
  cpSync(await emptyDatabase(), join(dataDirectory, 'control'), { recursive: true })
}

let made: Promise<string> | undefined

function emptyDatabase(): Promise<string> {
  return (made ??= make())
}

async function make(): Promise<string> {
  // Its place names its version.
  const engine = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const directory = join(tmpdir(), `fairlead-empty-database-${hash('sha256', engine).slice(0, 16)}`)
  if (await isThere(directory)) return directory
  const draft = await mkdtemp(`${directory}-`)
  await (await PGlite.create(draft)).close()
  try {
    await rename(draft, directory)
  } catch {
    // Another suite was faster.
    await rm(draft, { recursive: true })
  }
  return directory
}

async function isThere(directory: string): Promise<boolean> {
  return stat(directory).then(
    () => true,
    () => false,
  )
}
