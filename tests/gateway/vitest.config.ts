import { fileURLToPath } from 'node:url'
import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  // Two workers, as one alone cannot keep a machine busy: many tests wait.
  test: {
    globalSetup: fileURLToPath(import.meta.resolve('@fairlead/vitest/postgres-setup')),
    maxWorkers: 2,
    // No database of a test lives long enough to be worth the second compiler of WebAssembly.
    execArgv: ['--liftoff-only'],
  },
})
