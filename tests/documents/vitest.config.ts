import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  // A hook starts the gateway. The time limit of the start must be less than this, otherwise the process would be left
  // running.
  test: { fileParallelism: false, testTimeout: 120_000, hookTimeout: 300_000 },
})
