import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

// The libraries of the beacon chain read their preset when they are loaded.
export default mergeConfig(shared, { test: { env: { LODESTAR_PRESET: 'minimal' } } })
