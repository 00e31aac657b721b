import type { Adapter } from './adapter.ts'

/** Always reports nodes of the high-throughput chain as synced, whatever the execution client returns. */
export const ethSyncing: Adapter = {
  endpoint: 'evm',
  handle: () => Promise.resolve(false),
}
