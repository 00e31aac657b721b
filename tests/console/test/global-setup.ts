import { type DevelopmentFile, startGateway, temporaryFolder } from '@fairlead/e2e-tests/gateway'
import type { TestProject } from 'vitest/node'

/** Starts one gateway in front of the embedded chains. The tests read its reference pages. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder()
  const gateway = await startGateway(folder.path)
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
