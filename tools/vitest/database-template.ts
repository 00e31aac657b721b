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
  // Its place names its version.
  const engine = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  return (made ??= makeTemplate('fairlead-empty-database', engine, async (draft) => {
    await (await PGlite.create(draft)).close()
  }))
}

/**
 * Makes a folder to copy from, once for all test runs of this machine.
 *
 * @param name - says what it is
 * @param version - everything that its content depends on, such as the source of what fills it
 * @param fill - fills a new folder; it is called only when no run before has made this version
 * @returns where the folder is
 */
export async function makeTemplate(
  name: string,
  version: string,
  fill: (draft: string) => Promise<void>,
): Promise<string> {
  const directory = join(tmpdir(), `${name}-${hash('sha256', version).slice(0, 16)}`)
  if (await isThere(directory)) return directory
  const draft = await mkdtemp(`${directory}-`)
  await fill(draft)
  try {
    await rename(draft, directory)
  } catch (error) {
    await rm(draft, { recursive: true })
    // Another suite was faster, or it cannot be put there at all.
    if (!(await isThere(directory))) throw error
  }
  return directory
}

async function isThere(directory: string): Promise<boolean> {
  return stat(directory).then(
    () => true,
    () => false,
  )
}
