/**
 * How far a subscription has come, in a form that JSON keeps: everything up to and including the slot was delivered.
 *
 * The two newest blocks are not counted, as some of their updates may still be under way. Before there are others, it is
 * the first slot without a blockhash.
 */
export interface Checkpoint {
  /** In decimal. */
  readonly slot: string
  /** Base58 hash of its block, by which a fork is noticed; without one the slot is delivered again. */
  readonly blockhash?: string | undefined
}

/** Where checkpoints are kept. */
export interface CheckpointStore {
  /** Gives the checkpoint that was saved last; undefined when there is none. */
  load(): Promise<Checkpoint | undefined>
  /** Keeps a checkpoint. It is called with the first update, then when a block is complete; nothing is read meanwhile. */
  save(checkpoint: Checkpoint): Promise<void>
}
