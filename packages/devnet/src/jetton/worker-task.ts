/** The task of the jetton worker. */
export interface JettonWorkerTask {
  /** Port on 127.0.0.1. */
  port: number
  /** Directory that only this chain uses. */
  directory: string
  /** Seconds between two blocks without messages; 0 disables such blocks. */
  secondsPerBlock: number
}
