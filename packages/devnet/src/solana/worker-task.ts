/** What the worker of the Solana chain has to run. */
export interface SolanaWorkerTask {
  /** Port on 127.0.0.1. */
  port: number
  /** Directory of this chain alone. */
  directory: string
  /** Seconds from one slot to the next. */
  secondsPerSlot: number
  /** Whether transactions of the chain's own come in each slot. */
  traffic: boolean
  /** Whether a slot is made on a losing branch now and then. */
  branching: boolean
  /** Blocks upon a block that make it final. */
  finalityBlocks: number
}
