import { hash } from 'node:crypto'
import { cpSync } from 'node:fs'
import { mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

/**
 * Copies an embedded database without tables to the place where a gateway expects its database, because creating one
 * takes longer than the rest of a first start. It is created once for all test runs of this machine.
 *
 * @param dataDirectory - data directory of a gateway that was not started yet
 */
export async function copyEmptyDatabase(dataDirectory: string): Promise<void> {
  // A thousand files: copying them one by one with promises takes twelve times as long.
  cpSync(await emptyDatabase(), join(dataDirectory, 'control'), { recursive: true })
}

let template: Promise<string> | undefined

function emptyDatabase(): Promise<string> {
  // The resolved path contains the version.
  const engine = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  return (template ??= makeTemplate('fairlead-empty-database', engine, async (temporaryFolder) => {
    await (await PGlite.create(temporaryFolder)).close()
  }))
}

/**
 * Creates a template folder, once for all test runs of this machine.
 *
 * @param name - name of the template
 * @param version - everything that determines the content, such as the source of the code that fills it
 * @param fill - fills a new folder; called only if no earlier run has created this version
 * @returns path of the folder
 */
export async function makeTemplate(
  name: string,
  version: string,
  fill: (temporaryFolder: string) => Promise<void>,
): Promise<string> {
  const directory = join(tmpdir(), `${name}-${hash('sha256', version).slice(0, 16)}`)
  if (await exists(directory)) return directory
  const temporaryFolder = await mkdtemp(`${directory}-`)
  await fill(temporaryFolder)
  try {
    await rename(temporaryFolder, directory)
  } catch (error) {
    await rm(temporaryFolder, { recursive: true })
    // Another suite was faster, or the folder cannot be created.
    if (!(await exists(directory))) throw error
  }
  return directory
}

async function exists(directory: string): Promise<boolean> {
  return stat(directory).then(
    () => true,
    () => false,
  )
}
