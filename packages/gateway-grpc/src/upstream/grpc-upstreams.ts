import { GrpcError, Status } from '@fairlead/grpc-transport/wire'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { operatorUpstreams, type UpstreamRules } from '@fairlead/gateway-core/network/upstream-rules'
import {
  haveCommonUrl,
  type NodePool,
  NodePools,
  type PooledUpstreamState,
} from '@fairlead/gateway-core/upstream/node-pools'
import type { IsStale } from '@fairlead/gateway-core/upstream/node-resources'
import type { UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'
import type { Fingerprint } from '@fairlead/gateway-core/upstream/upstream-registry'
import { createGrpcConnections, type GrpcConnections } from './grpc-connections.ts'
import type { HealthTimes } from '@fairlead/gateway-core/upstream/steady-pool'
import { GrpcPool } from './grpc-pool.ts'
import { parseUpstreamUrl } from './parse-url.ts'

/** The pool of a node, for calls. */
export type CallPool = Pick<NodePool<GrpcPool>, 'current' | 'text'>

/** The gRPC upstreams of all nodes, connected on first use. */
export interface GrpcUpstreams {
  /** @throws GrpcError UNAVAILABLE when the node has no usable upstream */
  of(grant: Grant): CallPool
  /**
   * Returns the pool in which the calls of a pool continue after a change of the node's upstreams; undefined when the
   * node no longer has an upstream URL of the pool.
   */
  successorOf(pool: CallPool, grant: Grant): CallPool | undefined
  /** State of every upstream that was used. */
  states(): readonly PooledUpstreamState[]
  /** States of the upstreams of a node. Their health is checked for one minute from now on. */
  statesOf(grant: Grant): readonly UpstreamState[]
  /** Rejects when there is an embedded chain that does not respond. */
  checkEmbedded(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Options of {@link createGrpcUpstreams}. */
export interface GrpcUpstreamOptions {
  /** Maximum wait for a connection, in milliseconds. */
  readonly connectTimeoutMs: number
  /** URL of the embedded chain, for nodes whose upstream is `devnet`. */
  readonly embedded: string | undefined
  /** Rules that each connection is checked against. */
  readonly upstreamRules?: UpstreamRules | undefined
  /** Creates the ids of upstreams. */
  readonly fingerprint?: Fingerprint | undefined
  readonly times?: HealthTimes
  readonly isStale?: IsStale | undefined
}

/** Creates the gRPC upstreams of all nodes. */
export function createGrpcUpstreams({
  connectTimeoutMs,
  embedded,
  upstreamRules = operatorUpstreams,
  fingerprint,
  times,
  isStale,
}: GrpcUpstreamOptions): GrpcUpstreams {
  const pools = new NodePools<GrpcConnections, GrpcPool>({
    field: 'grpc',
    embedded,
    fingerprint,
    isStale,
    open: (text) => {
      const url = parseUpstreamUrl(text)
      if (!url) throw unusable('The upstream URL of this node is not a gRPC URL.')
      return createGrpcConnections(url, connectTimeoutMs, upstreamRules.of(text))
    },
    createPool: (upstreams, previous) => new GrpcPool(upstreams, times, previous),
    noUpstream,
  })
  return {
    of: (grant) => {
      const pool = pools.of(grant)
      if (!pool.current.isInUse) throw noUpstream()
      return pool
    },
    successorOf: (pool, grant) => {
      try {
        const successor = pools.of(grant)
        return successor === pool || haveCommonUrl(pool.text, successor.text) ? successor : undefined
      } catch {
        return undefined
      }
    },
    states: () => pools.states(),
    statesOf: (grant) => pools.statesOf(grant),
    checkEmbedded: async (signal) => pools.embedded()?.ping(signal),
    close: () => pools.close(),
  }
}

function noUpstream(): GrpcError {
  return unusable('This node has no upstream for grpc.')
}

function unusable(detail: string): GrpcError {
  return new GrpcError(Status.UNAVAILABLE, detail)
}
