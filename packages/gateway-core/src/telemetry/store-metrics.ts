import type { UsageStates } from '../usage/usage-flusher.ts'
import type { FeedStates } from '../authentication/directory.ts'
import type { SharedStoreStates } from '../shared-store/valkey-store.ts'
import type { MetricsRegistry } from './metrics-registry.ts'

/** Publishes the availability of the shared store and its commands and failures. */
export function publishSharedStore(registry: MetricsRegistry, states: () => SharedStoreStates): void {
  registry.gauge(
    'fairlead_shared_store_up',
    'Whether the shared store is there, 1 or 0; of several processes the one that sees least.',
    [],
    (set) => set({}, states().isUp ? 1 : 0),
    'min',
  )
  registry.counter('fairlead_shared_store_commands_total', 'Commands to the shared store.', [], (add) =>
    add({}, states().commands),
  )
  registry.counter(
    'fairlead_shared_store_failures_total',
    'Commands that the shared store refused or did not answer in time.',
    [],
    (add) => add({}, states().failures),
  )
}

/** Publishes the backlog of usage counts that are not in the database yet. */
export function publishUsage(registry: MetricsRegistry, states: () => UsageStates): void {
  registry.gauge(
    'fairlead_usage_journal_bytes',
    'Bytes of usage in journals that the database has not got yet.',
    [],
    (set) => set({}, states().journalBytes),
  )
  registry.gauge(
    'fairlead_usage_waiting_seconds',
    'How long the oldest count of usage has waited for the database; 0 when none waits.',
    [],
    (set) => {
      const { waitingSince } = states()
      set({}, waitingSince === undefined ? 0 : Math.max(0, Date.now() - waitingSince) / 1_000)
    },
    'max',
  )
  registry.counter(
    'fairlead_usage_flush_failures_total',
    'Tries to bring usage to the database that failed.',
    [],
    (add) => add({}, states().failures),
  )
  registry.counter(
    'fairlead_usage_unjournaled_total',
    'Batches of usage that could not be written to a journal and were kept in memory alone.',
    [],
    (add) => add({}, states().unjournaled),
  )
}

/** Publishes how fresh the directory of credentials is. */
export function publishDirectory(
  registry: MetricsRegistry,
  size: () => number,
  states: () => FeedStates,
): void {
  registry.gauge(
    'fairlead_node_credentials',
    'Node credentials in force.',
    [],
    (set) => set({}, size()),
    'max',
  )
  registry.gauge(
    'fairlead_directory_loaded_timestamp_seconds',
    'When all credentials were last read, in seconds since 1970; of several processes the one behind.',
    [],
    (set) => set({}, states().loadedAt / 1_000),
    'min',
  )
  registry.gauge(
    'fairlead_directory_load_seconds',
    'How long it took to read all credentials the last time.',
    [],
    (set) => set({}, states().loadMs / 1_000),
    'max',
  )
  registry.counter('fairlead_directory_failures_total', 'Reads of credentials that failed.', [], (add) =>
    add({}, states().failures),
  )
}
