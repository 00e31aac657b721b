import type { Directory } from '../authentication/directory.ts'
import type { Grant } from '../grants/grant.ts'
import type { UpstreamRecord } from '../grants/parse-upstreams.ts'
import type { HttpDependencies } from '../http/dependencies.ts'
import type { ProgressDeadlines } from '../http/progress-deadlines.ts'
import type { MemoryBudget } from '../memory/memory-budget.ts'
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
  /** Options that no other protocol reads. */
  readonly options: options
  /**
   * Checks values that the rows of the options do not rule out.
   *
   * @throws FairleadError `CONFIG_INVALID`
   */
  validate?(settings: ProtocolSettings<options>): void
  /** Loads what serves the protocol, which commands such as `--help` need not. */
  load(): Promise<ProtocolRuntime<ProtocolSettings<options>>>
}

// An alias: unlike an interface, it is assignable to a record of values.
/** Values of the options that every protocol reads. */
export type CommonSettings = {
  readonly upstreamTimeoutMs: number
  readonly maxBodyBytes: number
  /** Most bytes of responses that are cached. */
  readonly cacheBytes: number
  /** Most bytes that may wait for a client of a stream. */
  readonly maxWebSocketBufferBytes: number
  readonly nodeCorsOrigin: string
  readonly logRequests: LoggedRequests
}

/** What a protocol is configured by. */
export type ProtocolSettings<options extends OptionGroup> = CommonSettings & ValuesOf<options>

/** What serves a protocol. */
export interface ProtocolRuntime<settings> {
  open(dependencies: ProtocolDependencies, settings: settings): Protocol<settings>
  /**
   * Checks whether an upstream answers its protocol, and follows its chain.
   *
   * @param recordName - field of the upstream, by its name in records
   * @returns what it reports in a few words, or a warning
   * @throws UpstreamCheckError and errors of the connection
   */
  checkUpstream(recordName: string, upstream: UpstreamRecord, timeoutMs: number): Promise<UpstreamCheck>
}

/** What a check of an upstream has shown. */
export type UpstreamCheck = string | { readonly warning: string }

/** What the gateway provides to a protocol. */
export interface ProtocolDependencies {
  /** Authentication, admission, usage, traces and the log of requests. */
  readonly http: HttpDependencies
  readonly directory: Directory
  readonly metrics: MetricsRegistry
  /** For the bodies and responses that are held whole. */
  readonly memory: MemoryBudget
  readonly sharedStore: OpenedSharedStore | undefined
  /** Rules for connections to upstreams. */
  readonly upstreamRules: UpstreamRules
  readonly loops: LoopDetector
  /** How long clients may stand still. */
  readonly deadlines: ProgressDeadlines
  /** URLs of the embedded chains, by the names of upstream fields in records. */
  readonly embedded: Readonly<Record<string, string>>
  /**
   * Turns a text into one that identifies it and does not reveal it, the same in every process and replica.
   *
   * @param context - where the text belongs; elsewhere the same text has another fingerprint
   */
  fingerprint(text: string, context: string): string
  /** Called when an upstream of a node does not have a method that counts as offered. */
  onMethodMissing(grant: Grant): void
}

/** A protocol that is being served. */
export interface Protocol<settings> extends RoutedProtocol {
  readonly description: ProtocolDescription
  /** Rejects when there is an embedded chain that does not answer. */
  ready(signal: AbortSignal): Promise<void>
  /** State of the upstreams that are in use. */
  upstreamStates?(): readonly PooledUpstreamState[]
  /** State of the upstreams of a node. Their health is checked for a minute from now on, so that a later call returns more. */
  nodeUpstreamStates?(grant: Grant): readonly UpstreamState[]
  /** Finds out which methods nodes offer. */
  readonly prober?: MethodProber | undefined
  /** Takes over the options that can change while the gateway runs. */
  reconfigure(settings: settings): void
  /** Ends streams, and lets calls end for the given time. */
  drain(milliseconds: number): Promise<void>
  /** Ends the connections to upstreams, and releases all memory. */
  close(): Promise<void>
}

/** Takes over what every protocol reads for each request. */
export function applyCommonSettings(
  into: Pick<HttpDependencies, 'corsOrigin' | 'logRequests'>,
  { nodeCorsOrigin: corsOrigin, logRequests }: CommonSettings,
): void {
  Object.assign(into, { corsOrigin, logRequests })
}
