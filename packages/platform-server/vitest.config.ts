import { fileURLToPath } from 'node:url'
import shared from '@fairlead/vitest'
import { configDefaults, mergeConfig } from 'vitest/config'

// Tests that kill the embedded database or wait for the disk are slow; `test:reality` runs them.
const embeddedOnly = ['durability', 'synced-files'].map((name) => `src/store/${name}.test.ts`)
const isEmbedded = process.env['FAIRLEAD_TEST_DATABASE'] === 'embedded'

export default mergeConfig(shared, {
  // Two workers, because one alone does not use the machine fully: many tests wait.
  test: {
    exclude: isEmbedded ? configDefaults.exclude : [...configDefaults.exclude, ...embeddedOnly],
    globalSetup: fileURLToPath(import.meta.resolve('@fairlead/vitest/postgres-setup')),
    maxWorkers: 2,
    // Test databases are too short-lived to benefit from the optimizing WebAssembly compiler.
    execArgv: ['--liftoff-only'],
  },
})
