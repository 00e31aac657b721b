import { type ConnectionRules, operatorRules } from './guarded-connect.ts'
import type { OwnService } from './own-service.ts'

/** Decides about connections to upstreams. */
export interface UpstreamRules {
  /** Rules for connections to an upstream address, as it is written in a record. */
  of(address: string): ConnectionRules
}

/** What decides about connections to upstreams; it may change. */
export interface UpstreamPolicy {
  /** Whether upstreams that tenants have written may be in private networks and on this machine. */
  readonly privateUpstreams: boolean
  /** Addresses that the operator has configured; these may be private in any case. */
  readonly configured: ReadonlySet<string>
}

/** For tests and tools that connect to what their caller names. */
export const operatorUpstreams: UpstreamRules = { of: () => operatorRules }

/**
 * Makes the rules for connections to upstreams.
 *
 * @param policy - read for each connection
 * @param own - refused at every address, also where the operator has configured it
 */
export function createUpstreamRules(policy: UpstreamPolicy, own: OwnService): UpstreamRules {
  return {
    of: (address) => ({
      own,
      get isPrivateAllowed() {
        return policy.privateUpstreams || policy.configured.has(address)
      },
    }),
  }
}
