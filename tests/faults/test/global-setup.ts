import { databaseOf, evmOnly, startService, temporaryFolder } from '@fairlead/e2e-tests/service'
import type { TestProject } from 'vitest/node'

/** A database that a service has filled, for tests that start their own. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder()
  const service = await startService(folder.path, evmOnly)
  await service.end('SIGTERM')
  provide('database', databaseOf(folder.path))
  return () => folder.remove()
}

declare module 'vitest' {
  interface ProvidedContext {
    database: string
  }
}
