import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

// CommonJS packages come in as they do when Node runs the generator, their own `default` included.
export default mergeConfig(shared, { test: { deps: { interopDefault: false } } })
