import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  test: {
    globalSetup: 'test/global-setup.ts',
    testTimeout: 120_000,
    // What a fault does to others is told apart from what another test does.
    fileParallelism: false,
  },
})
