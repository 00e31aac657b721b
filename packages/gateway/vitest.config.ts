import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  // Two workers, as one alone cannot keep a machine busy: many tests wait.
  test: {
    globalSetup: 'vitest.postgres.ts',
    maxWorkers: 2,
    // No database of a test lives long enough to be worth the second compiler of WebAssembly.
    execArgv: ['--liftoff-only'],
  },
})
