import type { TestProject } from 'vitest/node'
import { databaseOf, evmOnly, startGateway, temporaryFolder } from './gateway.ts'

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
  provide('development', gateway.file)
  return async () => {
    await gateway.end('SIGTERM')
    await Promise.all([first.remove(), folder.remove()])
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    database: string
  }
}
