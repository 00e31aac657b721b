import { databaseOf, evmOnly, startGateway, temporaryFolder } from '@fairlead/e2e-tests/gateway'
import type { TestProject } from 'vitest/node'

/** Prepares a database that a gateway has filled, for tests that start their own gateway. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder()
  const gateway = await startGateway(folder.path, evmOnly)
  await gateway.end('SIGTERM')
  provide('database', databaseOf(folder.path))
  return () => folder.remove()
}

declare module 'vitest' {
  interface ProvidedContext {
    database: string
  }
}
