/** The commands to a worker. */
export type WorkerCommand = 'stop'

/** The notifications from a worker. */
export type WorkerNotice<data> =
  | {
      /** The chain accepts calls. */
      kind: 'ready'
      /** The public data of the chain. */
      data: data
    }
  | {
      /** A new chain has its sample data. */
      kind: 'seeded'
      /** Milliseconds that the creation of the sample data took. */
      durationMs: number
    }
  | {
      /** The worker ends by itself and another one must replace it; this is not a failure. */
      kind: 'renew'
      /** The reason, as a readable sentence. */
      message: string
    }
  | {
      /** The stored chain cannot be read, and another start cannot fix it. */
      kind: 'unreadable'
      message: string
    }
  | {
      /** The engine is not available for this platform, and another start cannot fix it. */
      kind: 'unavailable'
      message: string
    }
  | {
      /** An error that did not stop the worker, as a readable text. */
      kind: 'fault'
      message: string
    }
