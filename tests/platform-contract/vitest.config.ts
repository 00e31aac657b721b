import { fileURLToPath } from 'node:url'
import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  test: {
    globalSetup: fileURLToPath(import.meta.resolve('@fairlead/vitest/postgres-setup')),
    // The optimizing WebAssembly compiler does not pay off, because the databases of tests are short-lived.
    execArgv: ['--liftoff-only'],
  },
})
