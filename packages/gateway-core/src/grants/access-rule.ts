/** The property of a request that a rule checks. */
export const ruleKinds = ['origin', 'ip', 'method'] as const

/** One of {@link ruleKinds}. */
export type RuleKind = (typeof ruleKinds)[number]

/**
 * One rule of a node. A call passes when, for each kind, no deny rule matches it and, if there are allow rules, one of
 * them matches it.
 */
export interface AccessRule {
  readonly kind: RuleKind
  /**
   * An origin (`https://app.example`), a host or `*.host`; an IP address or a CIDR range; a method, a gRPC path or an
   * `operationId`, which may end with `*`.
   */
  readonly value: string
  readonly action: 'allow' | 'deny'
}
