import type { UpstreamRecord, UpstreamRole } from '../grants/parse-upstreams.ts'
import type { CircuitBreakerState } from './circuit-breaker.ts'
import type { Connection, CountedFailure, Upstream } from './upstream.ts'

/** How an upstream stands among the others of its node; the earlier, the better. */
export const upstreamClasses = [
  'ready',
  'unverified',
  'lagging',
  'unknown',
  'far behind',
  'failing',
  'wrong chain',
  'cordoned',
] as const

/** One of {@link upstreamClasses}. */
export type UpstreamClass = (typeof upstreamClasses)[number]

/** What is known of one upstream of a pool; nothing of it says where it is. */
export interface UpstreamState {
  /** The same in every process and replica. */
  readonly id: string
  /** Name of the field in records, for example `evm`. */
  readonly field: string
  /** Among the upstreams of the field, counted from 0. */
  readonly position: number
  readonly class: UpstreamClass
  readonly breaker: CircuitBreakerState
  readonly head: number | undefined
  /** Blocks behind the best head of the pool. */
  readonly lag: number | undefined
  /** Average time of a response, in milliseconds. */
  readonly latencyMs: number | undefined
  /** Share of the latest calls that failed, from 0 to 1. */
  readonly errorRate: number
  readonly callsInFlight: number
  readonly calls: number
  readonly failures: number
  readonly failuresByKind: Readonly<Record<CountedFailure, number>>
  /** Calls that came here because another upstream had failed, or was too slow to wait for. */
  readonly retries: number
  /** Calls that came here while another upstream was still expected to answer. */
  readonly hedges: number
  /** What all calls together have waited for this upstream, in milliseconds. */
  readonly totalMs: number
}

/** An upstream that is further behind lags. */
export const laggingBlocks = 3
const farBehindBlocks = 40

/** An upstream among those of a pool: what the record of a node says of it, and how it compares with the others. */
export class PoolMember<connection extends Connection = Connection> {
  readonly upstream: Upstream<connection>
  readonly record: UpstreamRecord
  readonly field: string
  readonly position: number
  readonly #toleratedLag: number
  lag: number | undefined = undefined
  /** Whether its chain is not that of the others. */
  isOfOtherChain = false
  /** Whether it claims a head far above the others, and has no such block. */
  isDoubted = false
  /** Of smooth weighted turns. */
  turn = 0

  /** @param toleratedLag - blocks behind the best head that say nothing of an upstream */
  constructor({ upstream, record, position }: PoolUpstream<connection>, field: string, toleratedLag: number) {
    this.upstream = upstream
    this.record = record
    this.field = field
    this.position = position
    this.#toleratedLag = toleratedLag
  }

  /** Number of its newest block that can be believed. */
  get head(): number | undefined {
    return this.isDoubted ? undefined : this.upstream.head
  }

  get class(): UpstreamClass {
    const { upstream } = this
    if (this.record.isCordoned) return 'cordoned'
    if (this.isOfOtherChain) return 'wrong chain'
    if (!upstream.isResponsive) return 'failing'
    if (this.isDoubted || upstream.isSyncing || (this.lag ?? 0) > farBehindBlocks) return 'far behind'
    if (!upstream.isKnown) return 'unknown'
    if ((this.lag ?? 0) > this.#toleratedLag) return 'lagging'
    return upstream.isUnverified ? 'unverified' : 'ready'
  }

  get state(): UpstreamState {
    const { id, breaker, quick, slow, callsInFlight, calls, failures, failuresByKind, retries, hedges } =
      this.upstream
    return {
      id,
      field: this.field,
      position: this.position,
      class: this.class,
      breaker: breaker.state,
      head: this.head,
      lag: this.lag,
      latencyMs: quick.mean ?? slow.mean,
      errorRate: breaker.errorRate,
      callsInFlight,
      calls,
      failures,
      failuresByKind,
      retries,
      hedges,
      totalMs: quick.totalMs + slow.totalMs,
    }
  }

  /** Whether calls may go to it at all. */
  get isInUse(): boolean {
    return !this.record.isCordoned && !this.isOfOtherChain
  }

  serves(role: UpstreamRole): boolean {
    return this.record.roles.length === 0 || this.record.roles.includes(role)
  }
}

/** An upstream as the record of a node names it. */
export interface PoolUpstream<connection extends Connection> {
  readonly upstream: Upstream<connection>
  readonly record: UpstreamRecord
  /** Among the upstreams of its field, counted from 0. */
  readonly position: number
}
