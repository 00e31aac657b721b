import type { Logger } from 'pino'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { usedUpstreams } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { UpstreamRules } from '@fairlead/gateway-core/network/upstream-rules'
import { jwtOf } from '../upstream/upstream-jwt.ts'
import { createWebSocketUpstream } from '../upstream/websocket-upstream.ts'
import type { EvmUpstreams } from '../upstream/evm-upstreams.ts'
import { SubscriptionMultiplexer } from './multiplexer.ts'
import { TimeSlices } from './time-slices.ts'

/** The subscription multiplexers of all nodes. Each is created on first use. */
export interface SubscriptionMultiplexers {
  /** @throws {@link RpcError} with status 503 when the node has no usable upstream */
  of(grant: Grant): SubscriptionMultiplexer
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
}

/** Creates the set of subscription multiplexers, one for each set of upstream URLs. */
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

/** Returns a key that is equal for grants with the same upstream URLs. It may contain secrets. */
export function addressKey({ upstreams }: Grant): string {
  return JSON.stringify([upstreams['evm'], upstreams['websocket']])
}
