import { fileURLToPath } from 'node:url'
import shared from '@fairlead/vitest'
import { configDefaults, mergeConfig } from 'vitest/config'

// Kills of the embedded database and waits for the disk take long; `test:reality` runs them.
const embeddedOnly = ['durability', 'synced-files'].map((name) => `src/store/${name}.test.ts`)
const isEmbedded = process.env['FAIRLEAD_TEST_DATABASE'] === 'embedded'

export default mergeConfig(shared, {
  // Two workers, as one alone cannot keep a machine busy: many tests wait.
  test: {
    exclude: isEmbedded ? configDefaults.exclude : [...configDefaults.exclude, ...embeddedOnly],
    globalSetup: fileURLToPath(import.meta.resolve('@fairlead/vitest/postgres-setup')),
    maxWorkers: 2,
    // No database of a test lives long enough to be worth the second compiler of WebAssembly.
    execArgv: ['--liftoff-only'],
  },
})
