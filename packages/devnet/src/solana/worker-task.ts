/** The task of the Solana worker. */
export interface SolanaWorkerTask {
  /** Port on 127.0.0.1. */
  port: number
  /** Directory that only this chain uses. */
  directory: string
  /** Seconds from one slot to the next. */
  secondsPerSlot: number
  /** Whether each slot contains generated transactions. */
  traffic: boolean
  /** Whether some slots are produced on a losing branch. */
  branching: boolean
  /** Number of blocks after a block that make it final. */
  finalityBlocks: number
}
