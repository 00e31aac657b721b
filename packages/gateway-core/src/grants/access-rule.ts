/** What a rule looks at. */
export const ruleKinds = ['origin', 'ip', 'method'] as const

/** One of {@link ruleKinds}. */
export type RuleKind = (typeof ruleKinds)[number]

/** One rule of a node. A call passes when of every kind that has rules one allows it and none denies it. */
export interface AccessRule {
  readonly kind: RuleKind
  /**
   * An origin (`https://app.example`), a host or `*.host`; an address or a CIDR range; a method, a path of gRPC or
   * `operationId`, which may end with `*`.
   */
  readonly value: string
  readonly action: 'allow' | 'deny'
}
