import type { Logger } from 'pino'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { usedUpstreams } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { UpstreamRules } from '@fairlead/gateway-core/network/upstream-rules'
import { jwtOf } from '../upstream/upstream-jwt.ts'
import { createWebSocketUpstream } from '../upstream/websocket-upstream.ts'
import type { EvmUpstreams } from '../upstream/evm-upstreams.ts'
import { SubscriptionMultiplexer } from './multiplexer.ts'
import { TimeSlices } from './time-slices.ts'

/** The subscription multiplexers of all nodes, made when first needed. */
export interface SubscriptionMultiplexers {
  /** @throws {@link RpcError} with status 503 when the node has no usable upstream */
  of(grant: Grant): SubscriptionMultiplexer
  /** How many subscriptions, or polls in their place, there are at all nodes. */
  upstreamSubscriptions(): number
  close(): void
}

/** What the multiplexers are made with. */
export interface MultiplexerOptions {
  readonly upstreams: EvmUpstreams
  /** WebSocket address of the embedded chain for nodes whose upstream is `devnet`. */
  readonly embeddedSocket: string | undefined
  readonly pollMs: number
  readonly timeoutMs: number
  readonly log: Logger
  /** Rules for connections; those for what the operator has configured when left out. */
  readonly rules?: UpstreamRules | undefined
  /** Entry of `CDN-Loop` that each handshake carries; none when left out. */
  readonly loopEntry?: string | undefined
}

/** Makes the set of subscription multiplexers, one for each node address. */
export function createSubscriptionMultiplexers(options: MultiplexerOptions): SubscriptionMultiplexers {
  const { upstreams, embeddedSocket, pollMs, timeoutMs, log, rules, loopEntry } = options
  const multiplexers = new Map<string, SubscriptionMultiplexer>()
  const slices = new TimeSlices()
  return {
    of: (grant) => {
      const key = addressKey(grant)
      const known = multiplexers.get(key)
      if (known) return known
      const targets = usedUpstreams(grant.upstreams['websocket']).flatMap((record) => {
        const address = record.address === 'devnet' ? embeddedSocket : record.address
        return address === undefined ? [] : [{ address, jwt: jwtOf(record) }]
      })
      const upstream = upstreams.of(grant, 'evm')
      const nodeLog = log.child({ node_id: grant.nodeId })
      const socket =
        targets.length === 0
          ? undefined
          : createWebSocketUpstream(targets, timeoutMs, nodeLog, { rules, loopEntry })
      const multiplexer = new SubscriptionMultiplexer({
        upstream,
        socket,
        pollMs,
        timeoutMs,
        log: nodeLog,
        slices,
      })
      multiplexers.set(key, multiplexer)
      return multiplexer
    },
    upstreamSubscriptions: () =>
      [...multiplexers.values()].reduce((sum, { upstreamSubscriptions }) => sum + upstreamSubscriptions, 0),
    close: () => {
      for (const multiplexer of multiplexers.values()) multiplexer.close()
    },
  }
}

/** The same for grants of the same node address; it may hold secrets. */
export function addressKey({ upstreams }: Grant): string {
  return JSON.stringify([upstreams['evm'], upstreams['websocket']])
}
