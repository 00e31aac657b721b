import type { UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'
import type { Grant } from '@fairlead/gateway-core/grants/grant'

/** Dependencies and settings of the operations on nodes. */
export interface NodeDependencies {
  /** Domain of which each node has a subdomain. */
  readonly nodeDomain?: string | undefined
  /** Whether secrets of credentials are stored so that they can be shown again. Default true. */
  readonly revealCredentials?: boolean | undefined
  /** Whether upstreams in private networks and on this machine are accepted. Default true. */
  readonly privateUpstreams?: boolean | undefined
  /** URLs of the gateway itself. Default none. */
  readonly gatewayUrls?: (() => readonly string[]) | undefined
  /**
   * Returns the state of the EVM upstreams of a grant as seen by this process, in their order. A call also starts
   * checks of these upstreams for a while.
   */
  readonly upstreamStates?: ((grant: Grant) => readonly UpstreamState[]) | undefined
  /** Schedules a probe of a node's methods. */
  readonly probe?: ((nodeId: string) => void) | undefined
}
