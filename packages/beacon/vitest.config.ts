import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

// @lodestar/types reads its preset when it is imported. States of the minimal preset are fast to create.
export default mergeConfig(shared, { test: { env: { LODESTAR_PRESET: 'minimal' } } })
