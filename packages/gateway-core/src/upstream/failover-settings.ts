import type { ClassifiedResponse, UpstreamCall } from './attempt.ts'
import type { PoolMember } from './pool-member.ts'
import type { Connection } from './upstream.ts'

/** The progress of a call. */
export interface CallProgress<connection extends Connection> {
  /** The upstreams that received the call, in order. */
  readonly tried: readonly PoolMember<connection>[]
  /** Whether an upstream may have accepted the call without confirming it. */
  readonly maybeAccepted: boolean
  /** The upstream that would receive the call next; undefined when there is none. */
  next(): PoolMember<connection> | undefined
}

/**
 * The decision about a response. `accept`: use it. `fallback`: use it if no better one arrives. `next`: call the next
 * upstream, which may have a better one. `next without cost`: same as `next`, when this upstream did no work for the
 * call. A promise: use its result.
 */
export type Decision<response> = 'accept' | 'fallback' | 'next' | 'next without cost' | Promise<response>

/** A call that may be sent to several upstreams, one after the other or in parallel. */
export interface FailoverCallSettings<
  connection extends Connection,
  response,
  responseClass,
> extends UpstreamCall<connection, response, responseClass> {
  /** Decides about a response. */
  decide(
    classified: ClassifiedResponse<connection, response, responseClass>,
    progress: CallProgress<connection>,
  ): Decision<response>
  /** Discards a response that arrives after the call has settled. */
  discard(response: response): void
}

/** The operations of a pool that its calls use. */
export interface CallSupport<connection extends Connection, call> {
  /** Selects an upstream that has not been tried yet. */
  choose(call: call, tried: readonly PoolMember<connection>[]): PoolMember<connection> | undefined
  /** Delay of the hedge after the call to the first upstream; undefined when no hedge is sent. */
  hedgeMs(first: PoolMember<connection>, call: call): number | undefined
  /** @returns whether an upstream in use receives calls as usual */
  hasResponsive(): boolean
  /** @returns whether the retry budget allows another attempt */
  retry(): boolean
  /** @returns whether a call may be sent to a second upstream while the first one has not failed */
  hedge(): boolean
}

/** A response and its upstream. */
export interface PooledResponse<connection extends Connection, response> {
  readonly member: PoolMember<connection>
  readonly response: response
}
