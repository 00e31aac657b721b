/** How fast: a bucket of `burst` calls that fills at `requestsPerSecond`. */
export interface Rate {
  readonly requestsPerSecond: number
  /** As many as in a second unless said otherwise. */
  readonly burst?: number | undefined
}

/** Name of a limit for a single request. */
export type RequestLimit = `max${string}`

/** What a credential, a node or a project may use; what is left out has no limit of its own. */
export interface Limits {
  readonly rate?: Rate | undefined
  /** By method, or by the beginning of methods with `*` behind it. */
  readonly methodRates?: Readonly<Record<string, Rate>> | undefined
  /** From midnight to midnight UTC. */
  readonly requestsPerDay?: number | undefined
  /** From the first of a month to the next, UTC. */
  readonly unitsPerMonth?: number | undefined
  /** Calls that are being answered at a time. */
  readonly maxConcurrentCalls?: number | undefined
  /** What one request may hold or ask for; protocols give the names, for example `maxBatchItems`. */
  readonly [ofRequest: RequestLimit]: number | undefined
}

/** The limits that a call has to pass, the narrowest owner first. */
export interface GrantLimits {
  readonly credential?: Limits | undefined
  readonly node?: Limits | undefined
  readonly project?: Limits | undefined
}
