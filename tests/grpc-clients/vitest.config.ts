import { fileURLToPath } from 'node:url'
import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  test: {
    globalSetup: fileURLToPath(import.meta.resolve('@fairlead/e2e-tests/global-setup')),
    testTimeout: 120_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
})
