import type { SharedStore } from '../../shared-store/types.ts'

/** The state that the limits of all replicas share. */
export interface SharedLimits {
  /** Store for counters that all replicas share; without it, each replica counts on its own. */
  readonly store: SharedStore | undefined
  /** Last known number of replicas that share every limit, including this one. */
  replicas(): number
}
