import { execFile } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { databaseOf, evmOnly, repository, startGateway, temporaryFolder } from './gateway.ts'

/**
 * Starts one gateway for all test files that do not stop it, and prepares a database for those that start their own.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const first = await temporaryFolder()
  const initial = await startGateway(first.path, evmOnly)
  await initial.end('SIGTERM')
  const database = databaseOf(first.path)
  const folder = await temporaryFolder(database)
  const gateway = await startGateway(folder.path, { FAIRLEAD_LOG_LEVEL: 'info' })
  provide('database', database)
  // Before the tests create blocks: the README shows the block numbers of a fresh chain.
  provide('quickstart', await runQuickstart(folder.path))
  provide('development', gateway.file)
  return async () => {
    await gateway.end('SIGTERM')
    await Promise.all([first.remove(), folder.remove()])
  }
}

/** Returns the output of `npm run quickstart`, or its error. */
async function runQuickstart(folder: string): Promise<string> {
  for (const name of ['package.json', 'examples', 'packages', 'node_modules']) {
    await symlink(join(repository, name), join(folder, name))
  }
  try {
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'quickstart'], { cwd: folder })
    return stdout
  } catch (error) {
    return String(error)
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    database: string
    quickstart: string
  }
}
