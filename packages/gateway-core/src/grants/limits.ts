/** A rate limit: a token bucket of `burst` calls that refills at `requestsPerSecond`. */
export interface Rate {
  readonly requestsPerSecond: number
  /** Size of the bucket; `requestsPerSecond` when omitted. */
  readonly burst?: number | undefined
}

/** Name of a limit for a single request. */
export type RequestLimit = `max${string}`

/** The limits of a credential, a node or a project; an omitted value is no limit. */
export interface Limits {
  readonly rate?: Rate | undefined
  /** By method, or by a method prefix followed by `*`. */
  readonly methodRates?: Readonly<Record<string, Rate>> | undefined
  /** From midnight to midnight UTC. */
  readonly requestsPerDay?: number | undefined
  /** From the first of a month to the first of the next, UTC. */
  readonly unitsPerMonth?: number | undefined
  /** Maximum number of concurrent calls. */
  readonly maxConcurrentCalls?: number | undefined
  /** Limits for a single request; protocols define the names, for example `maxBatchItems`. */
  readonly [ofRequest: RequestLimit]: number | undefined
}

/** The limits that apply to a call, the narrowest owner first. */
export interface GrantLimits {
  readonly credential?: Limits | undefined
  readonly node?: Limits | undefined
  readonly project?: Limits | undefined
}
