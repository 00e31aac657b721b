/** Determines how long a response stays valid. */
export type Ttl =
  /** Depends on the params alone. */
  | { readonly kind: 'params' }
  /** Belongs to the chain as a whole. Refreshed periodically, because the URL may point to another chain later. */
  | { readonly kind: 'chain'; readonly ms: number }
  /** Belongs to the block that a param names. For a block tag, belongs to the chain head. */
  | { readonly kind: 'block'; readonly param: number }
  /** Names its block in `field` of the result, or of each element of the result. */
  | { readonly kind: 'self-describing'; readonly field: 'number' | 'blockNumber' }
  /** Belongs to the blocks of a log filter. */
  | { readonly kind: 'logs' }
  /** Belongs to the latest block. */
  | { readonly kind: 'head' }
  /** Validity cannot be determined. */
  | { readonly kind: 'uncacheable' }

/** Determines whether the responses of a method may be cached, and for how long. */
export interface CacheRule {
  readonly ttl: Ttl
  /**
   * Whether responses are also cached in the shared store. This applies only to responses that take an upstream longer
   * than a request to the store.
   */
  readonly isShared: boolean
}
