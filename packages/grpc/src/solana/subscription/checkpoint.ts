/**
 * Position of a subscription as JSON-compatible data: everything up to and including the slot was delivered.
 *
 * The two latest blocks are excluded, because some of their updates may still be in transit. Until there are older
 * blocks, it is the first slot without a blockhash.
 */
export interface Checkpoint {
  /** In decimal. */
  readonly slot: string
  /** Base58 hash of its block, which detects a fork; without it the slot is delivered again. */
  readonly blockhash?: string | undefined
}

/** Storage for checkpoints. */
export interface CheckpointStore {
  /** Returns the checkpoint that was saved last; undefined when there is none. */
  load(): Promise<Checkpoint | undefined>
  /**
   * Saves a checkpoint. Called with the first update, then when a block is complete; reading pauses in the meantime.
   */
  save(checkpoint: Checkpoint): Promise<void>
}
