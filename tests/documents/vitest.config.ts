import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  test: { fileParallelism: false, testTimeout: 120_000 },
})
