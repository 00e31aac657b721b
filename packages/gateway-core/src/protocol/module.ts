import type { Directory } from '../authentication/directory.ts'
import type { Grant } from '../grants/grant.ts'
import type { UpstreamRecord } from '../grants/parse-upstreams.ts'
import type { HttpDependencies } from '../http/dependencies.ts'
import type { ProgressDeadlines } from '../http/progress-deadlines.ts'
import type { TickBudget } from '../admission/tick-budget.ts'
import type { MemoryLedger } from '../memory/memory-ledger.ts'
import type { LoopDetector } from '../network/cdn-loop.ts'
import type { UpstreamRules } from '../network/upstream-rules.ts'
import type { OpenedSharedStore } from '../shared-store/valkey-store.ts'
import type { LoggedRequests } from '../telemetry/logged-requests.ts'
import type { MetricsRegistry } from '../telemetry/metrics-registry.ts'
import type { PooledUpstreamState } from '../upstream/node-pools.ts'
import type { UpstreamState } from '../upstream/pool-member.ts'
import type { ProtocolDescription } from './description.ts'
import type { MethodProber } from './method-availability.ts'
import type { OptionGroup, ValuesOf } from './option.ts'
import type { RoutedProtocol } from './routing.ts'

/** A protocol that the gateway serves. */
export interface ProtocolModule<options extends OptionGroup = OptionGroup> {
  readonly description: ProtocolDescription
  /** Options of this protocol only. */
  readonly options: options
  /**
   * Validates values beyond the definitions of the options.
   *
   * @throws FairleadError `CONFIG_INVALID`
   */
  validate?(settings: ProtocolSettings<options>): void
  /** Loads the implementation of the protocol. Commands such as `--help` do not need it. */
  load(): Promise<ProtocolRuntime<ProtocolSettings<options>>>
}

// An alias: unlike an interface, it is assignable to a record of values.
/** Values of the options that every protocol reads. */
export type CommonSettings = {
  readonly upstreamTimeoutMs: number
  readonly maxBodyBytes: number
  /** Maximum total size of cached responses, in bytes. */
  readonly cacheBytes: number
  /** Maximum number of bytes that may wait for a client of a stream. */
  readonly maxWebSocketBufferBytes: number
  readonly nodeCorsOrigin: string
  readonly logRequests: LoggedRequests
}

/** The configuration of a protocol. */
export type ProtocolSettings<options extends OptionGroup> = CommonSettings & ValuesOf<options>

/** The implementation of a protocol. */
export interface ProtocolRuntime<settings> {
  open(dependencies: ProtocolDependencies, settings: settings): Protocol<settings>
  /**
   * Checks whether an upstream serves its protocol and is synced with its chain.
   *
   * @param recordName - field of the upstream, by its name in records
   * @returns a short report, or a warning
   * @throws UpstreamCheckError and connection errors
   */
  checkUpstream(recordName: string, upstream: UpstreamRecord, timeoutMs: number): Promise<UpstreamCheck>
}

/** The result of an upstream check. */
export type UpstreamCheck = string | { readonly warning: string }

/** The dependencies that the gateway provides to a protocol. */
export interface ProtocolDependencies {
  /** Authentication, admission, usage, traces and request logs. */
  readonly http: HttpDependencies
  readonly directory: Directory
  readonly metrics: MetricsRegistry
  /** Memory budget for buffered bodies and responses. */
  readonly memory: MemoryLedger
  /** Spreads work over event-loop ticks. */
  readonly budget: TickBudget
  readonly sharedStore: OpenedSharedStore | undefined
  /** Rules for connections to upstreams. */
  readonly upstreamRules: UpstreamRules
  readonly loops: LoopDetector
  /** Limits how long clients may stall. */
  readonly deadlines: ProgressDeadlines
  /** URLs of the embedded chains, by the names of upstream fields in records. */
  readonly embedded: Readonly<Record<string, string>>
  /**
   * Returns a value that identifies a text without revealing it; the same in every process and replica.
   *
   * @param context - where the text belongs; the same text has a different fingerprint in another context
   */
  fingerprint(text: string, context: string): string
  /** Called when an upstream of a node does not implement a method that is recorded as offered. */
  onMethodMissing(grant: Grant): void
}

/** A running protocol. */
export interface Protocol<settings> extends RoutedProtocol {
  readonly description: ProtocolDescription
  /** Rejects when an embedded chain does not respond. */
  ready(signal: AbortSignal): Promise<void>
  /** State of the upstreams that are in use. */
  upstreamStates?(): readonly PooledUpstreamState[]
  /** State of the upstreams of a node. It starts health checks for one minute, so that a later call returns more. */
  nodeUpstreamStates?(grant: Grant): readonly UpstreamState[]
  /** Determines which methods nodes offer. */
  readonly prober?: MethodProber | undefined
  /** Applies the options that can change while the gateway runs. */
  reconfigure(settings: settings): void
  /** Ends streams, and waits up to the given time for calls to complete. */
  drain(milliseconds: number): Promise<void>
  /** Closes the connections to upstreams, and releases all memory. */
  close(): Promise<void>
}

/** Applies the common settings that are read for each request. */
export function applyCommonSettings(
  into: Pick<HttpDependencies, 'corsOrigin' | 'logRequests'>,
  { nodeCorsOrigin: corsOrigin, logRequests }: CommonSettings,
): void {
  Object.assign(into, { corsOrigin, logRequests })
}
