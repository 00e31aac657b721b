import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

// The compiler is CommonJS.
export default mergeConfig(shared, { test: { deps: { interopDefault: false } } })
