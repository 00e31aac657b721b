import shared from '@fairlead/vitest'
import { mergeConfig } from 'vitest/config'

export default mergeConfig(shared, {
  test: {
    // The largest suite waits for upstreams half of the time.
    maxWorkers: 2,
  },
})
