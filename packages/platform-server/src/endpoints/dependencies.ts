import type { UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'
import type { Grant } from '@fairlead/gateway-core/grants/grant'

/** What the operations on nodes need to know of the service around them. */
export interface NodeService {
  /** Domain below which each node has a host of its own. */
  readonly nodeDomain?: string | undefined
  /** Whether secrets of credentials are kept to be shown again. Default true. */
  readonly revealCredentials?: boolean | undefined
  /** Whether upstreams in private networks and on this machine may be given. Default true. */
  readonly privateUpstreams?: boolean | undefined
  /** Addresses that this service itself is reached at. Default none. */
  readonly ownUrls?: (() => readonly string[]) | undefined
  /**
   * What this process has seen of the EVM upstreams that a grant leads to, in their order. To ask has it look after them
   * for a while.
   */
  readonly upstreamStates?: ((grant: Grant) => readonly UpstreamState[]) | undefined
  /** Has the methods of a node probed soon. */
  readonly probe?: ((nodeId: string) => void) | undefined
}
