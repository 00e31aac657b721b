import type { TestProject } from 'vitest/node'
import { type DevelopmentFile, startService, temporaryFolder } from '@fairlead/e2e-tests/gateway'

/** Starts one gateway for all test files. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder()
  const service = await startService(folder.path, { FAIRLEAD_LOG_LEVEL: 'info' })
  provide('development', service.file)
  return async () => {
    await service.end('SIGTERM')
    await folder.remove()
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    development: DevelopmentFile
  }
}
