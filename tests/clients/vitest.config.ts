import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, { test: { testTimeout: 60_000, hookTimeout: 60_000 } })
