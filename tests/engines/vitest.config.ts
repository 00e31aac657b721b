import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  test: {
    // The first build of go-ethereum takes minutes.
    testTimeout: 300_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
})
