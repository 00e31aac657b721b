import { GrpcError, Status } from '@fairlead/grpc-transport/wire'
import { LRUCache } from 'lru-cache'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { parseUpstreams, type UpstreamRecord } from '@fairlead/gateway-core/grants/parse-upstreams'
import { operatorUpstreams, type UpstreamRules } from '@fairlead/gateway-core/network/upstream-rules'
import type { UpstreamState } from '@fairlead/gateway-core/upstream/upstream'
import { createGrpcConnections, type GrpcConnections } from './grpc-connections.ts'
import type { HealthTimes } from '@fairlead/gateway-core/upstream/steady-pool'
import { GrpcPool } from './grpc-pool.ts'
import { parseUpstreamUrl } from './parse-url.ts'

/** The gRPC upstreams of all nodes, connected to when first needed. */
export interface GrpcUpstreams {
  /** @throws GrpcError UNAVAILABLE when the node has no usable upstream */
  of(grant: Grant): Pick<GrpcPool, 'open'>
  /** What is known of every upstream that was used, or of those of a node in their order. */
  states(grant?: Grant): readonly UpstreamState[]
  /** Rejects when there is an embedded chain that does not answer. */
  embeddedAnswer(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** What the gRPC upstreams are made with. */
export interface GrpcUpstreamOptions {
  /** Longest wait for a connection. */
  readonly connectTimeoutMs: number
  /** URL of the embedded chain, for nodes whose upstream is `devnet`. */
  readonly embedded: string | undefined
  /** That each connection is checked against. */
  readonly upstreamRules?: UpstreamRules | undefined
  readonly times?: HealthTimes
}

// Upstreams of nodes change, and nobody says which ones are gone.
const mostKept = 20_000

/** Makes the set of all gRPC upstreams. */
export function createGrpcUpstreams({
  connectTimeoutMs,
  embedded,
  upstreamRules = operatorUpstreams,
  times,
}: GrpcUpstreamOptions): GrpcUpstreams {
  const connections = new LRUCache<string, GrpcConnections>({ max: mostKept })
  const pools = new LRUCache<string, GrpcPool>({ max: mostKept, dispose: (pool) => pool.close() })
  const at = (text: string): GrpcConnections => {
    const known = connections.get(text)
    if (known) return known
    const url = parseUpstreamUrl(text)
    if (!url) throw unusable('The upstream address of this node is not a gRPC address.')
    const opened = createGrpcConnections(url, connectTimeoutMs, upstreamRules.of(text))
    connections.set(text, opened)
    return opened
  }
  const connectionsOf = ({ address }: UpstreamRecord): GrpcConnections => {
    const text = address === 'devnet' ? embedded : address
    if (text === undefined) throw missing()
    return at(text)
  }
  const poolOf = ({ upstreams: { grpc: text }, nodeId }: Grant): GrpcPool => {
    if (text === undefined) throw missing()
    const known = pools.get(text)
    if (known) return known
    const upstreams = recordsOf(text).map((record, position) => ({
      record,
      position,
      upstream: connectionsOf(record),
    }))
    if (upstreams.every(({ record }) => record.isCordoned)) throw missing()
    const pool = new GrpcPool(`${nodeId}/grpc`, upstreams, times)
    pools.set(text, pool)
    return pool
  }
  return {
    of: poolOf,
    states: (grant) => {
      if (!grant) return [...pools.values()].toReversed().flatMap((pool) => pool.states())
      try {
        const pool = poolOf(grant)
        pool.watch()
        return pool.states()
      } catch {
        // It has none, or whoever wrote them was told of their fault.
        return []
      }
    },
    embeddedAnswer: async (signal) => {
      if (embedded !== undefined) await at(embedded).ping(signal)
    },
    close: async () => {
      for (const pool of pools.values()) pool.close()
      await Promise.all([...connections.values()].map((upstream) => upstream.close()))
    },
  }
}

function recordsOf(text: string): readonly UpstreamRecord[] {
  try {
    return parseUpstreams(text)
  } catch {
    // Whoever wrote it was told so; the text holds credentials.
    return []
  }
}

function missing(): GrpcError {
  return unusable('This node has no upstream for grpc.')
}

function unusable(detail: string): GrpcError {
  return new GrpcError(Status.UNAVAILABLE, detail)
}
