import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  test: {
    globalSetup: 'test/global-setup.ts',
    testTimeout: 120_000,
    // Tests do not run in parallel, so that the effects of a fault are not mixed with those of another test.
    fileParallelism: false,
  },
})
