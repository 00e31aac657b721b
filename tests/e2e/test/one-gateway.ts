import type { TestProject } from 'vitest/node'
import { type DevelopmentFile, startGateway, temporaryFolder } from './gateway.ts'

/** Starts one gateway in front of the embedded chains for all test files. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder()
  const gateway = await startGateway(folder.path, { FAIRLEAD_LOG_LEVEL: 'info' })
  provide('development', gateway.file)
  return async () => {
    await gateway.end('SIGTERM')
    await folder.remove()
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    development: DevelopmentFile
  }
}
