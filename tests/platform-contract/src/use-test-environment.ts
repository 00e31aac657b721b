import type { TemporaryDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { afterAll, beforeAll } from 'vitest'
import { startTestEnvironment, type TestEnvironment } from './test-environment.ts'

/** Starts a platform API on a new database for the tests of a suite. Returns a function for its tests. */
export function useTestEnvironment(create: () => Promise<TemporaryDatabase>): () => TestEnvironment {
  let database: TemporaryDatabase
  let environment: TestEnvironment
  beforeAll(async () => {
    database = await create()
    environment = await startTestEnvironment(database)
  })
  afterAll(async () => {
    await environment.close()
    await database.remove()
  })
  return () => environment
}
