/** Number and hashes of a block, from its header. */
export interface BlockReference {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
}

/** Observed state of a node's chain while the node is in use. */
export interface ChainView {
  /** Latest block that a synced upstream has reported. Undefined until one has. */
  readonly head: BlockReference | undefined
  /** Number of the latest final block. Undefined when it is unknown. */
  readonly finalized: number | undefined
  /**
   * Whether a block number is so far above the numbers that the upstreams have reported that it must be confirmed by
   * fetching the block. The number of a single upstream is never doubted.
   */
  doubts(number: number): boolean
  /**
   * Registers a listener for reorganizations, for the lifetime of this view.
   *
   * @param listener - called with the number of the lowest replaced block
   */
  onReorganized(listener: (lowest: number) => void): void
}
