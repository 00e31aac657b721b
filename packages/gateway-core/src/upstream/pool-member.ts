import type { UpstreamRecord, UpstreamRole } from '../grants/parse-upstreams.ts'
import type { CircuitBreakerState } from './circuit-breaker.ts'
import type { Connection, CountedFailure, Upstream } from './upstream.ts'

/**
 * How an upstream compares with the others of its node, best first, and whether it counts as up. The state is unknown
 * before the first check, and where no response is expected.
 */
export const stateOfClass = {
  ready: 'up',
  unverified: 'up',
  lagging: 'up',
  unknown: 'unknown',
  stale: 'up',
  failing: 'down',
  wrong_chain: 'down',
  cordoned: 'unknown',
} as const

/** One of the classes of {@link stateOfClass}. */
export type UpstreamClass = keyof typeof stateOfClass

/** The classes, best first. */
export const upstreamClasses = Object.keys(stateOfClass) as readonly UpstreamClass[]

/** State of one upstream of a pool. It does not reveal the upstream's URL. */
export interface UpstreamState {
  /** The same in every process and replica. */
  readonly id: string
  /** Name of the field in records, for example `evm`. */
  readonly field: string
  /** Index among the upstreams of the field, from 0. */
  readonly position: number
  readonly class: UpstreamClass
  readonly breaker: CircuitBreakerState
  readonly head: number | undefined
  /** Blocks behind the highest chain head of the pool. */
  readonly lag: number | undefined
  /** The lag in milliseconds, by the block time of the chain. */
  readonly lagMs: number | undefined
  /** Average response time, in milliseconds. */
  readonly latencyMs: number | undefined
  /** Share of recent calls that failed, from 0 to 1. */
  readonly errorRate: number
  readonly callsInFlight: number
  readonly calls: number
  readonly failures: number
  readonly failuresByKind: Readonly<Record<CountedFailure, number>>
  /** Responses that belonged to no call, or to another one. */
  readonly mismatchedResponses: number
  /** Calls that were sent here because another upstream had failed or was too slow. */
  readonly retries: number
  /** Calls that were sent here while another upstream was still expected to respond. */
  readonly hedges: number
  /** Whether it receives no batches for a while, because one has failed. Undefined without batches. */
  readonly areBatchesDisabled: boolean | undefined
  /** Total time that all calls have waited for this upstream, in milliseconds. */
  readonly totalMs: number
  /** Maximum number of blocks in a query, by method, as far as its rejections have revealed it. */
  readonly rangeLimits: ReadonlyMap<string, number>
}

// An upstream is lagging, or severely lagging, when its lag is larger than both values. The time is longer than the
// interval between two health checks. It decides only where blocks take 2.5 seconds or less.
export const laggingBlocks = 3
const laggingMs = 10_000
const severeLagBlocks = 40
const severeLagMs = 100_000

/** Block time of Ethereum, for chains whose block time is unknown. */
export const defaultBlockMs = 12_000

/**
 * An upstream in a pool, with its configuration in the record of the node and its comparison with the other upstreams.
 */
export class PoolMember<connection extends Connection = Connection> {
  readonly upstream: Upstream<connection>
  readonly record: UpstreamRecord
  readonly field: string
  readonly position: number
  readonly #minToleratedLag: number
  lag: number | undefined = undefined
  /** Block time of the chain. */
  blockMs = defaultBlockMs
  /** Whether it follows a different chain than the others. */
  isOnOtherChain = false
  /** Whether it receives no calls yet, because it may be on another chain than the node. */
  isChainUnknown = false
  /** Whether it reports a chain head far above the others but does not have that block. */
  isDoubted = false
  /** Current weight for smooth weighted round-robin. */
  currentWeight = 0

  /** @param minToleratedLag - lag in blocks that is insignificant, whatever the block time */
  constructor(
    { upstream, record, position }: PoolUpstream<connection>,
    field: string,
    minToleratedLag: number,
  ) {
    this.upstream = upstream
    this.record = record
    this.field = field
    this.position = position
    this.#minToleratedLag = minToleratedLag
  }

  /** Lag in blocks that is insignificant at the block time of the chain. */
  get toleratedLag(): number {
    return this.#blocksWithin(laggingMs, this.#minToleratedLag)
  }

  /** Number of its latest block, unless it is implausible. */
  get head(): number | undefined {
    return this.isDoubted ? undefined : this.upstream.head
  }

  get class(): UpstreamClass {
    const { upstream } = this
    if (this.record.isCordoned) return 'cordoned'
    if (this.isOnOtherChain) return 'wrong_chain'
    if (!upstream.isResponsive) return 'failing'
    if (this.isDoubted || upstream.isSyncing) return 'stale'
    const { lag = 0 } = this
    if (lag > this.#blocksWithin(severeLagMs, severeLagBlocks)) return 'stale'
    if (!upstream.hasReported) return 'unknown'
    if (lag > this.toleratedLag) return 'lagging'
    return upstream.isUnverified ? 'unverified' : 'ready'
  }

  get state(): UpstreamState {
    const { id, connection, breaker, latency, callsInFlight, calls, failures, failuresByKind } = this.upstream
    const { retries, hedges, rangeLimits } = this.upstream
    return {
      id,
      field: this.field,
      position: this.position,
      class: this.class,
      breaker: breaker.state,
      head: this.head,
      lag: this.lag,
      lagMs: this.lag === undefined ? undefined : this.lag * this.blockMs,
      latencyMs: latency.short.mean ?? latency.long.mean,
      errorRate: breaker.errorRate,
      callsInFlight,
      calls,
      failures,
      failuresByKind,
      mismatchedResponses: connection.mismatchedResponses,
      retries,
      hedges,
      areBatchesDisabled: connection.areBatchesDisabled,
      totalMs: latency.short.totalMs + latency.long.totalMs,
      rangeLimits,
    }
  }

  /** Whether the upstream may receive calls at all. */
  get isInUse(): boolean {
    return !this.record.isCordoned && !this.isOnOtherChain && !this.isChainUnknown
  }

  serves(role: UpstreamRole): boolean {
    return this.record.roles.length === 0 || this.record.roles.includes(role)
  }

  #blocksWithin(ms: number, minimum: number): number {
    return Math.max(minimum, Math.floor(ms / this.blockMs))
  }
}

/** The chain head of an upstream. */
export interface ReportedHead<member extends PoolMember> {
  readonly member: member
  readonly head: number
}

/** The chain heads of the upstreams that are in use, respond, and are not syncing. */
export function reportedHeads<member extends PoolMember>(
  members: readonly member[],
): readonly ReportedHead<member>[] {
  return members.flatMap((member) => {
    const { head, isInUse, upstream } = member
    const counts = isInUse && upstream.isResponsive && !upstream.isSyncing
    return counts && head !== undefined ? [{ member, head }] : []
  })
}

/** Whether an upstream in use receives calls as usual. */
export function hasResponsive(members: readonly PoolMember[]): boolean {
  return members.some(({ isInUse, upstream }) => isInUse && upstream.isResponsive)
}

/** An upstream with its entry in the record of a node. */
export interface PoolUpstream<connection extends Connection> {
  readonly upstream: Upstream<connection>
  readonly record: UpstreamRecord
  /** Index among the upstreams of its field, from 0. */
  readonly position: number
}
