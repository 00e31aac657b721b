import type { UsageStates } from '../usage/usage-flusher.ts'
import type { DirectoryStates } from '../authentication/directory.ts'
import type { SharedStoreStates } from '../shared-store/valkey-store.ts'
import type { MetricsRegistry } from './metrics-registry.ts'

/** Publishes the commands to the shared store and their failures. */
export function publishSharedStore(registry: MetricsRegistry, states: () => SharedStoreStates): void {
  registry.counter('fairlead_shared_store_commands_total', 'Commands sent to the shared store.', [], (add) =>
    add({}, states().commands),
  )
  registry.counter(
    'fairlead_shared_store_failures_total',
    'Commands to the shared store that failed or timed out.',
    [],
    (add) => add({}, states().failures),
  )
}

/** Publishes the backlog of usage counts that are not in the database yet. */
export function publishUsage(registry: MetricsRegistry, states: () => UsageStates): void {
  registry.gauge(
    'fairlead_usage_journal_bytes',
    'Bytes of usage in journals that are not in the database yet.',
    [],
    (set) => set({}, states().journalBytes),
  )
  registry.gauge(
    'fairlead_usage_waiting_seconds',
    'Age of the oldest usage count that is not in the database yet; 0 when there is none.',
    [],
    (set) => {
      const { waitingSince } = states()
      set({}, waitingSince === undefined ? 0 : Math.max(0, Date.now() - waitingSince) / 1_000)
    },
    'max',
  )
  registry.counter(
    'fairlead_usage_flush_failures_total',
    'Failed attempts to write usage to the database.',
    [],
    (add) => add({}, states().failures),
  )
  registry.counter(
    'fairlead_usage_unjournaled_total',
    'Batches of usage that could not be written to a journal and exist only in memory.',
    [],
    (add) => add({}, states().unjournaled),
  )
}

/** Publishes how fresh the directory of credentials is. */
export function publishDirectory(
  registry: MetricsRegistry,
  size: () => number,
  states: () => DirectoryStates,
): void {
  registry.gauge('fairlead_node_credentials', 'Valid node credentials.', [], (set) => set({}, size()), 'max')
  registry.gauge(
    'fairlead_directory_loaded_timestamp_seconds',
    'Unix time of the last complete load of the credentials; with several processes, the earliest.',
    [],
    (set) => set({}, states().loadedAt / 1_000),
    'min',
  )
  registry.gauge(
    'fairlead_directory_load_seconds',
    'Duration of the last complete load of the credentials.',
    [],
    (set) => set({}, states().loadMs / 1_000),
    'max',
  )
  registry.counter('fairlead_directory_failures_total', 'Failed loads of credentials.', [], (add) =>
    add({}, states().failures),
  )
}
