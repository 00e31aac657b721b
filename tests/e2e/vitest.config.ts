import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  test: {
    globalSetup: 'test/global-setup.ts',
    testTimeout: 120_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    // Which sizes Lodestar's types have; the embedded beacon chain is on the minimal preset.
    env: { LODESTAR_PRESET: 'minimal' },
  },
})
