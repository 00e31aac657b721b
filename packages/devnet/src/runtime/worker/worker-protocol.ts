/** What a worker is told. */
export type WorkerCommand = 'stop'

/** What a worker tells. */
export type WorkerNotice<facts> =
  | {
      /** Calls are answered. */
      kind: 'ready'
      /** What the world shall know of the chain. */
      facts: facts
    }
  | {
      /** A new chain has its sample data. */
      kind: 'seeded'
      /** Milliseconds that the sample data took. */
      durationMs: number
    }
  | {
      /** The worker ends by itself and another one shall take its place; that is no failure. */
      kind: 'renew'
      /** Why, in a sentence for a person. */
      message: string
    }
  | {
      /** What is kept of the chain cannot be read, and no other start will mend it. */
      kind: 'unreadable'
      message: string
    }
  | {
      /** The engine is not there for this platform, and no other start will mend it. */
      kind: 'unavailable'
      message: string
    }
  | {
      /** An error that ended nothing, worded for a person. */
      kind: 'fault'
      message: string
    }
