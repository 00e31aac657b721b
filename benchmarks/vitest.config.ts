import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, { test: { include: ['fixtures/**/*.test.ts'] } })
