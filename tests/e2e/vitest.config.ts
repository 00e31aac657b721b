import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  test: {
    globalSetup: 'test/global-setup.ts',
    testTimeout: 120_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    // Selects the sizes of Lodestar's types. The embedded beacon chain uses the minimal preset.
    env: { LODESTAR_PRESET: 'minimal' },
  },
})
