import type { AccessRule } from './access-rule.ts'
import type { GrantLimits } from './limits.ts'

/** The forms of credential that a client of a node can use. */
export const credentialKinds = ['token', 'basic', 'x-token'] as const

/** One of {@link credentialKinds}. */
export type CredentialKind = (typeof credentialKinds)[number]

/** The access that a valid node credential gives: one node, with all data that a request to it needs. */
export interface Grant {
  readonly credentialId: string
  readonly kind: CredentialKind
  readonly nodeId: string
  readonly projectId: string
  readonly organizationId: string
  readonly chain: string
  readonly network: string
  readonly protocols: readonly string[]
  /**
   * Upstreams by protocol, each a text for `parseUpstreams`. `jetton-v3` is the index of a `jetton` node, when the
   * index has a separate URL. The word `devnet` stands for the embedded chain.
   */
  readonly upstreams: Readonly<Record<string, string>>
  /** When the credential expires, in milliseconds since 1970; without it, the credential does not expire. */
  readonly expiresAt?: number | undefined
  /** Methods that the node does not offer, according to method probes. */
  readonly withheldMethods?: readonly string[] | undefined
  /** Settings of the node for its protocols only, by name. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined
  /** The access rules of the node that are in effect; without any, access is unrestricted. */
  readonly accessRules?: readonly AccessRule[] | undefined
  readonly limits?: GrantLimits | undefined
  /** Whether it is a {@link gatewayGrant}. The directory contains only grants of credentials. */
  readonly isOfGateway?: true | undefined
}

/**
 * Creates a grant with which the gateway itself uses a node, for example to probe its methods.
 *
 * @param node - the node as in the database, which may be newer or older than in the directory
 */
export function gatewayGrant(
  node: Omit<Grant, 'credentialId' | 'kind' | 'expiresAt' | 'isOfGateway'>,
): Grant {
  return { ...node, credentialId: 'gateway', kind: 'token', isOfGateway: true }
}

/** A grant, and the SHA-256 of its secret. The secret itself is not stored. */
export interface CredentialRecord {
  /** Hex SHA-256 of the token, of `username:password`, or of the x-token. */
  readonly sha256: string
  readonly grant: Grant
}
