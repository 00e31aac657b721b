import type { TestProject } from 'vitest/node'
import { type DevelopmentFile, startGateway } from './gateway.ts'

/** Starts one gateway for all examples. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { folder, file, stop } = await startGateway()
  provide('folder', folder)
  provide('development', file)
  return stop
}

declare module 'vitest' {
  interface ProvidedContext {
    folder: string
    development: DevelopmentFile
  }
}
