import { type DevelopmentFile, startService, temporaryFolder } from '@fairlead/e2e-tests/gateway'
import type { TestProject } from 'vitest/node'

/** Starts one gateway in front of the embedded chains. The tests read its reference pages. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder()
  const service = await startService(folder.path)
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
