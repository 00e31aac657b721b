import { type ConnectionRules, operatorRules } from './guarded-connect.ts'
import type { GatewayAddresses } from './gateway-addresses.ts'

/** Provides the rules for connections to upstreams. */
export interface UpstreamRules {
  /** Rules for connections to an upstream URL, as written in a record. */
  of(address: string): ConnectionRules
}

/** The policy for connections to upstreams; it may change. */
export interface UpstreamPolicy {
  /** Whether upstreams that tenants configure may be in private networks and on this machine. */
  readonly privateUpstreams: boolean
  /** URLs that the operator has configured; these are always allowed to be private. */
  readonly configured: ReadonlySet<string>
}

/** For tests and tools that connect to targets of their caller. */
export const operatorUpstreams: UpstreamRules = { of: () => operatorRules }

/**
 * Creates the rules for connections to upstreams.
 *
 * @param policy - read for each connection
 * @param gateway - this gateway itself, rejected at every IP address, also where the operator has configured it
 */
export function createUpstreamRules(policy: UpstreamPolicy, gateway: GatewayAddresses): UpstreamRules {
  return {
    of: (address) => ({
      gateway,
      get isPrivateAllowed() {
        return policy.privateUpstreams || policy.configured.has(address)
      },
    }),
  }
}
