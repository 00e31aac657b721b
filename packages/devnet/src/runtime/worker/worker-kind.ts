/** What is particular to the workers of one chain. */
export interface WorkerKind {
  /** The chain as sentences name it, for example `beacon chain`. */
  readonly name: string
  /** The module to run, with the extension that the package has at the moment. */
  readonly module: URL
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>
  /** Several times what the chain needs; beyond it something leaks, and then only the worker shall fail. */
  readonly mostHeapMegabytes: number
  /** Milliseconds that it may take to end by itself. */
  readonly gracefulStopMs: number
  /** What a start means for the chain, in a sentence that follows the address. */
  readonly onReady: string
  /** The same within the sentence on a restart, for example `, with a new chain,`. */
  readonly onRestart: string
}
