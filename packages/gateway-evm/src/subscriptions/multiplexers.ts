import type { Logger } from 'pino'
import type { NodeGrant } from '@fairlead/gateway-core/grants/grant'
import { usedUpstreams } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { UpstreamRules } from '@fairlead/gateway-core/network/upstream-rules'
import { jwtOf } from '../upstream/upstream-jwt.ts'
import { createUpstreamSocket } from '../upstream/websocket-upstream.ts'
import type { Upstreams } from '../upstream/evm-upstreams.ts'
import { SubscriptionHub } from './multiplexer.ts'
import { TimeSlices } from './time-slices.ts'

/** The subscription hubs of all nodes, made when first needed. */
export interface SubscriptionHubs {
  /** @throws {@link RpcFailure} with status 503 when the node has no usable upstream */
  of(grant: NodeGrant): SubscriptionHub
  /** How many subscriptions, or polls in their place, there are at all nodes. */
  upstreamSubscriptions(): number
  close(): void
}

/** What the hubs are made with. */
export interface HubOptions {
  readonly upstreams: Upstreams
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

/** Makes the set of subscription hubs, one for each node address. */
export function createSubscriptionHubs(options: HubOptions): SubscriptionHubs {
  const { upstreams, embeddedSocket, pollMs, timeoutMs, log, rules, loopEntry } = options
  const hubs = new Map<string, SubscriptionHub>()
  const slices = new TimeSlices()
  return {
    of: (grant) => {
      const key = addressKey(grant)
      const known = hubs.get(key)
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
          : createUpstreamSocket(targets, timeoutMs, nodeLog, { rules, loopEntry })
      const hub = new SubscriptionHub({ upstream, socket, pollMs, timeoutMs, log: nodeLog, slices })
      hubs.set(key, hub)
      return hub
    },
    upstreamSubscriptions: () =>
      [...hubs.values()].reduce((sum, { upstreamSubscriptions }) => sum + upstreamSubscriptions, 0),
    close: () => {
      for (const hub of hubs.values()) hub.close()
    },
  }
}

/** The same for grants of the same node address; it may hold secrets. */
export function addressKey({ upstreams }: NodeGrant): string {
  return JSON.stringify([upstreams['evm'], upstreams['websocket']])
}
