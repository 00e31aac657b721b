import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { canary } from './canary.ts'
import {
  databaseOf,
  evmOnly,
  repository,
  type ServerProcess,
  startGateway,
  temporaryFolder,
} from './gateway.ts'

/**
 * Starts one gateway for all test files that do not stop it, and prepares a database for those that start their own.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const first = await temporaryFolder()
  const initial = await startGateway(first.path, evmOnly)
  await initial.end('SIGTERM')
  const database = databaseOf(first.path)
  const folder = await temporaryFolder(database)
  const gateway = await startGateway(folder.path, {
    FAIRLEAD_LOG_LEVEL: 'debug',
    FAIRLEAD_LOG_REQUESTS: 'all',
    FAIRLEAD_METRICS_TOKEN: canary('metrics'),
    // Nothing listens there, and the error must not contain the password.
    FAIRLEAD_TRACING_ENDPOINT: `http://traces:${canary('traces')}@127.0.0.1:9/v1/traces`,
    FAIRLEAD_TRACING_RATIO: '1',
  })
  provide('database', database)
  provide('output', writeOutput(gateway, join(folder.path, 'output.txt')))
  // Before the tests create blocks: the README shows the block numbers of a fresh chain.
  provide('quickstart', await runQuickstart(folder.path))
  provide('development', gateway.file)
  return async () => {
    await gateway.end('SIGTERM')
    await Promise.all([first.remove(), folder.remove()])
  }
}

/** Writes the output of a gateway to a file, for test files that run in other processes. */
function writeOutput({ process: { stdout, stderr }, output }: ServerProcess, file: string): string {
  const stream = createWriteStream(file)
  stream.write(output())
  for (const source of [stdout, stderr]) source?.pipe(stream, { end: false })
  return file
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
    /** Path of the file with the output of the gateway so far. */
    output: string
    quickstart: string
  }
}
