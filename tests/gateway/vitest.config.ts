import { fileURLToPath } from 'node:url'
import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  // Two workers, because a single one cannot use a machine fully: many tests wait.
  test: {
    globalSetup: fileURLToPath(import.meta.resolve('@fairlead/vitest/postgres-setup')),
    maxWorkers: 2,
    // The optimizing WebAssembly compiler does not pay off, because the databases of tests are short-lived.
    execArgv: ['--liftoff-only'],
  },
})
