/** The parts of a worker that are specific to one chain. */
export interface WorkerKind {
  /** The chain as messages name it, for example `beacon chain`. */
  readonly name: string
  /** The module to run, with the current file extension of the package. */
  readonly module: URL
  /** The environment of the worker, besides the compile cache of this process. */
  readonly env: Readonly<Record<string, string>>
  /**
   * Several times the normal memory use of the chain; beyond it there is a memory leak, and only the worker must fail.
   */
  readonly maxHeapMegabytes: number
  /** Milliseconds that a graceful stop may take. */
  readonly gracefulStopMs: number
  /** The effect of a start on the chain, as a sentence that follows the URL. */
  readonly onReady: string
  /** The same as a part of the sentence about a restart, for example `, with a new chain,`. */
  readonly onRestart: string
}
