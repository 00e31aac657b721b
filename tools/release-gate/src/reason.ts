import type { Bump } from '@fairlead/spec-diff'

/** Why a version has to be raised. */
export interface Reason {
  /** By the rules for version 1.0 and above. */
  readonly bump: Bump
  readonly description: string
  /** The family whose specification is the reason. */
  readonly family?: string
}
