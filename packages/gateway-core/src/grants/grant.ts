import type { AccessRule } from './access-rule.ts'
import type { GrantLimits } from './limits.ts'

/** The forms in which a client of a node can prove who it is. */
export const credentialKinds = ['token', 'basic', 'x-token'] as const

/** One of {@link credentialKinds}. */
export type CredentialKind = (typeof credentialKinds)[number]

/** What a valid node credential entitles to: one node, with everything a request needs on its way there. */
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
   * Upstreams by protocol, each a text for `parseUpstreams`; `jetton-v3` is the index of a `jetton` node, when
   * that is elsewhere. The word `devnet` stands for the embedded chain.
   */
  readonly upstreams: Readonly<Record<string, string>>
  /** When the credential ends, in milliseconds since 1970; without it, it does not end by itself. */
  readonly expiresAt?: number | undefined
  /** Methods that the node was found not to offer. */
  readonly withheldMethods?: readonly string[] | undefined
  /** Settings of the node that only its protocols understand, by name. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined
  /** The node's rules that are in force; open without any. */
  readonly accessRules?: readonly AccessRule[] | undefined
  readonly limits?: GrantLimits | undefined
}

/** A grant together with the only form of its secret that is kept. */
export interface CredentialRecord {
  /** Hex SHA-256 of the token, of `username:password`, or of the x-token. */
  readonly sha256: string
  readonly grant: Grant
}
