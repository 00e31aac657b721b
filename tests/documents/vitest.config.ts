import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  // A hook starts the service, which has its own time limit: less than this, or it would be left behind.
  test: { fileParallelism: false, testTimeout: 120_000, hookTimeout: 300_000 },
})
