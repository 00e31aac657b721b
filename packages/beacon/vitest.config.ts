import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

// The preset of @lodestar/types must be known before it is imported; states of the small one are made in no time.
export default mergeConfig(shared, { test: { env: { LODESTAR_PRESET: 'minimal' } } })
