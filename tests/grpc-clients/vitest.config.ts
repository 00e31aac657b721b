import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  test: {
    globalSetup: 'test/global-setup.ts',
    // The two longest files wait for the chain.
    maxWorkers: 2,
    testTimeout: 120_000,
  },
})
