import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

// The libraries of the beacon chain read their preset at load time.
export default mergeConfig(shared, { test: { env: { LODESTAR_PRESET: 'minimal' } } })
