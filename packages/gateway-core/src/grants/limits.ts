/** How fast: a bucket of `burst` calls that fills at `requestsPerSecond`. */
export interface Rate {
  readonly requestsPerSecond: number
  /** As many as in a second unless said otherwise. */
  readonly burst?: number | undefined
}

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
  readonly maxBatchItems?: number | undefined
  readonly maxBodyBytes?: number | undefined
  readonly maxLogRange?: number | undefined
}

/** The limits that a call has to pass, the narrowest owner first. */
export interface GrantLimits {
  readonly credential?: Limits | undefined
  readonly node?: Limits | undefined
  readonly project?: Limits | undefined
}
