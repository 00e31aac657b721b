import { GrpcError, Status } from '@fairlead/grpc-transport/wire'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { parseUpstreams, type UpstreamRecord } from '@fairlead/gateway-core/grants/parse-upstreams'
import { operatorUpstreams, type UpstreamRules } from '@fairlead/gateway-core/network/upstream-rules'
import { NodePools, type PooledUpstreamState } from '@fairlead/gateway-core/upstream/node-pools'
import type { UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'
import { type Fingerprint, UpstreamRegistry } from '@fairlead/gateway-core/upstream/upstream-registry'
import { createGrpcConnections, type GrpcConnections } from './grpc-connections.ts'
import type { HealthTimes } from '@fairlead/gateway-core/upstream/steady-pool'
import { GrpcPool } from './grpc-pool.ts'
import { parseUpstreamUrl } from './parse-url.ts'

/** The gRPC upstreams of all nodes, connected on first use. */
export interface GrpcUpstreams {
  /** @throws GrpcError UNAVAILABLE when the node has no usable upstream */
  of(grant: Grant): Pick<GrpcPool, 'open' | 'hasSeveral'>
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
}

/** Creates the gRPC upstreams of all nodes. */
export function createGrpcUpstreams({
  connectTimeoutMs,
  embedded,
  upstreamRules = operatorUpstreams,
  fingerprint,
  times,
}: GrpcUpstreamOptions): GrpcUpstreams {
  const registry = new UpstreamRegistry<GrpcConnections>({
    field: 'grpc',
    fingerprint,
    open: ({ address }) => {
      const text = address === 'devnet' ? embedded : address
      if (text === undefined) throw noUpstream()
      const url = parseUpstreamUrl(text)
      if (!url) throw unusable('The upstream URL of this node is not a gRPC URL.')
      return createGrpcConnections(url, connectTimeoutMs, upstreamRules.of(text))
    },
  })
  const pools = new NodePools<GrpcPool>()
  const poolOf = ({ upstreams: { grpc: text }, nodeId }: Grant): GrpcPool => {
    if (text === undefined) throw noUpstream()
    return pools.of(nodeId, text, () => {
      const upstreams = recordsOf(text).map((record, position) => ({
        record,
        position,
        upstream: registry.of(record),
      }))
      if (upstreams.every(({ record }) => record.isCordoned)) throw noUpstream()
      return new GrpcPool(upstreams, times)
    })
  }
  return {
    of: poolOf,
    states: () => pools.states(),
    statesOf: (grant) => {
      try {
        const pool = poolOf(grant)
        pool.watch()
        return pool.states()
      } catch {
        // The node has no upstream, or the API reported the fault when the record was written.
        return []
      }
    },
    checkEmbedded: async (signal) => {
      if (embedded === undefined) return
      const [devnet] = parseUpstreams('devnet')
      if (devnet) await registry.of(devnet).connection.ping(signal)
    },
    close: () => {
      pools.close()
      return registry.close()
    },
  }
}

function recordsOf(text: string): readonly UpstreamRecord[] {
  try {
    return parseUpstreams(text)
  } catch {
    // The API reported the fault when the record was written; the text holds credentials.
    return []
  }
}

function noUpstream(): GrpcError {
  return unusable('This node has no upstream for grpc.')
}

function unusable(detail: string): GrpcError {
  return new GrpcError(Status.UNAVAILABLE, detail)
}
