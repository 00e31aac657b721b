import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  test: {
    globalSetup: 'test/global-setup.ts',
    testTimeout: 120_000,
    // One file checks that its requests leave the jetton chain unchanged: no other file may run at the same time.
    fileParallelism: false,
    // Selects the sizes of Lodestar's types. The embedded beacon chain uses the minimal preset.
    env: { LODESTAR_PRESET: 'minimal' },
  },
})
