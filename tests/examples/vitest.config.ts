import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  test: {
    globalSetup: 'test/global-setup.ts',
    fileParallelism: false,
    // The examples share one chain, and each continues where the one before it left the chain.
    sequence: { shuffle: false },
  },
})
