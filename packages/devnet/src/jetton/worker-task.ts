/** What the worker of the jetton chain has to run. */
export interface JettonWorkerTask {
  /** Port on 127.0.0.1. */
  port: number
  /** Directory of this chain alone. */
  directory: string
  /** Seconds from one block to the next when nothing happens; 0 for no such blocks. */
  secondsPerBlock: number
}
