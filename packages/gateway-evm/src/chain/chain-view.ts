/** A block as its header tells it. */
export interface BlockReference {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
}

/** What is known of the chain behind a node while it is used. */
export interface ChainView {
  /** The newest block that an upstream in step has shown; undefined until one has. */
  readonly head: BlockReference | undefined
  /** Number of the newest block that will not be replaced; undefined when nothing is known of it. */
  readonly finalized: number | undefined
  /**
   * Tells whether a number is so far above what the upstreams have shown that only a block confirms it. A single upstream
   * is believed.
   */
  doubts(number: number): boolean
  /**
   * Hears that blocks were replaced by others, for as long as there is this view.
   *
   * @param listener - gets the number of the lowest one
   */
  onReorganized(listener: (lowest: number) => void): void
}
