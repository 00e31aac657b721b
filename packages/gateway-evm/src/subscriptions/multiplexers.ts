import type { Logger } from 'pino'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { usedUpstreams } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { UpstreamRules } from '@fairlead/gateway-core/network/upstream-rules'
import { jwtOf } from '../upstream/upstream-jwt.ts'
import { type IsStale, NodeResources } from '@fairlead/gateway-core/upstream/node-resources'
import type { Upstream } from '../upstream/types.ts'
import type { SocketTarget } from '../upstream/open-target.ts'
import { createWebSocketUpstream } from '../upstream/websocket-upstream.ts'
import type { EvmUpstreams } from '../upstream/evm-upstreams.ts'
import { SubscriptionMultiplexer } from './multiplexer.ts'
import { TimeSlices } from './time-slices.ts'

/** The subscription multiplexers of all nodes. Each is created on first use. */
export interface SubscriptionMultiplexers {
  /** @throws {@link RpcError} with status 503 when the node has no usable upstream */
  of(grant: Grant): SubscriptionMultiplexer
  /** As {@link of}; returns undefined when the node has no usable upstream. */
  find(grant: Grant): SubscriptionMultiplexer | undefined
  /** Returns the number of upstream subscriptions of all nodes, including polls in their place. */
  upstreamSubscriptions(): number
  close(): void
}

/** Options of the multiplexers. */
export interface MultiplexerOptions {
  readonly upstreams: EvmUpstreams
  /** WebSocket URL of the embedded chain, for nodes whose upstream is `devnet`. */
  readonly embeddedSocket: string | undefined
  readonly pollMs: number
  readonly timeoutMs: number
  readonly log: Logger
  /** Connection rules. The default is the rules for upstreams that the operator has configured. */
  readonly rules?: UpstreamRules | undefined
  /** `CDN-Loop` entry of each handshake. None by default. */
  readonly loopEntry?: string | undefined
  readonly isStale?: IsStale | undefined
}

/** Creates the set of subscription multiplexers. Nodes with the same upstreams share one. */
export function createSubscriptionMultiplexers(options: MultiplexerOptions): SubscriptionMultiplexers {
  const { upstreams, embeddedSocket, pollMs, timeoutMs, log, rules, loopEntry } = options
  const multiplexers = new NodeResources<SubscriptionMultiplexer>(options.isStale)
  const slices = new TimeSlices()
  // Two nodes may have separate pools of the same upstreams.
  const ids = new WeakMap<Upstream, number>()
  let lastId = 0
  const idOf = (upstream: Upstream): number => {
    const id = ids.get(upstream) ?? (lastId += 1)
    ids.set(upstream, id)
    return id
  }
  const targetsOf = (grant: Grant): readonly SocketTarget[] =>
    usedUpstreams(grant.upstreams['websocket']).flatMap((record) => {
      const address = record.address === 'devnet' ? embeddedSocket : record.address
      return address === undefined ? [] : [{ address, jwt: jwtOf(record) }]
    })
  const open = (grant: Grant, upstream: Upstream): SubscriptionMultiplexer => {
    const nodeLog = log.child({ node_id: grant.nodeId })
    const socket = createWebSocketUpstream(targetsOf(grant), timeoutMs, nodeLog, { rules, loopEntry })
    return new SubscriptionMultiplexer({ upstream, socket, pollMs, timeoutMs, log: nodeLog, slices })
  }
  const of = (grant: Grant): SubscriptionMultiplexer => {
    const upstream = upstreams.of(grant, 'evm')
    return multiplexers.of(grant, `${idOf(upstream)} ${grant.upstreams['websocket'] ?? ''}`, {
      open: () => open(grant, upstream),
      change: (multiplexer) => multiplexer.change(upstream, targetsOf(grant)),
    })
  }
  return {
    of,
    find: (grant) => {
      try {
        return of(grant)
      } catch {
        // A call or a subscription reports the error.
        return undefined
      }
    },
    upstreamSubscriptions: () =>
      [...multiplexers.entries()].reduce(
        (sum, [{ upstreamSubscriptions }]) => sum + upstreamSubscriptions,
        0,
      ),
    close: () => multiplexers.close(),
  }
}
