import { fileURLToPath } from 'node:url'
import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  // Two workers, because many tests wait and one worker alone cannot keep a machine busy.
  test: {
    globalSetup: fileURLToPath(import.meta.resolve('@fairlead/vitest/postgres-setup')),
    maxWorkers: 2,
    // No test database lives long enough to benefit from the second WebAssembly compiler.
    execArgv: ['--liftoff-only'],
  },
})
