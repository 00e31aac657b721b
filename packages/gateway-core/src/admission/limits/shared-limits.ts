import type { SharedStore } from '../../shared-store/types.ts'

/** What the limits of this replica have in common with those of the others. */
export interface SharedLimits {
  /** Where all replicas count together; without it each counts by itself. */
  readonly store: SharedStore | undefined
  /** How many share every limit, this one included, as far as was known last. */
  replicas(): number
}
