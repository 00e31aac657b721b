import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  test: {
    globalSetup: '@fairlead/e2e-tests/global-setup',
    testTimeout: 120_000,
    fileParallelism: false,
  },
})
