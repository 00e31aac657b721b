import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  test: {
    testTimeout: 120_000,
    // One attack at a time, so that each effect has one cause.
    fileParallelism: false,
  },
})
