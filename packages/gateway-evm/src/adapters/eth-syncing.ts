import type { Adapter } from './adapter.ts'

/** On the high-throughput chain a node always counts as synchronized, whatever its client would say. */
export const ethSyncing: Adapter = {
  endpoint: 'evm',
  answer: () => Promise.resolve(false),
}
