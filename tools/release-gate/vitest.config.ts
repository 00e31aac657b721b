import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

// Imports CommonJS packages as Node.js does when it runs the generator, including their own `default`.
export default mergeConfig(shared, { test: { deps: { interopDefault: false } } })
