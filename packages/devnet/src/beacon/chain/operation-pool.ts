import type { CachedBeaconStateFulu } from '@lodestar/state-transition'
import type { ValidatorIndex } from '@lodestar/types'
import { Refused } from './refused.ts'

/** A kind of operation and its rules. */
export interface OperationKind<item> {
  /** A key that is equal for operations with the same effect. */
  key(item: item): string
  /** The validators whose status the operation changes. */
  affects(item: item): readonly ValidatorIndex[]
  /**
   * @param state The state that a block would apply the operation to.
   * @param verifySignatures False when they have been verified before.
   * @throws Error with the rule that forbids the operation.
   */
  verify(state: CachedBeaconStateFulu, item: item, verifySignatures: boolean): void
}

/** Verified operations of one kind that wait for inclusion in a block. */
export class PendingOperations<item> {
  readonly #kind: OperationKind<item>
  readonly #maxItems: number
  readonly #pending = new Map<string, item>()

  /**
   * @param kind The rules.
   * @param maxItems Maximum number of operations in a block.
   */
  constructor(kind: OperationKind<item>, maxItems: number) {
    this.#kind = kind
    this.#maxItems = maxItems
  }

  /**
   * @param state The state to verify against.
   * @param item The operation.
   * @returns Whether it is new.
   * @throws Refused with the rule that it breaks.
   */
  add(state: CachedBeaconStateFulu, item: item): boolean {
    const key = this.#kind.key(item)
    if (this.#pending.has(key)) return false
    try {
      this.#kind.verify(state, item, true)
    } catch (error) {
      throw new Refused(error instanceof Error ? error.message : String(error))
    }
    this.#pending.set(key, item)
    return true
  }

  all(): readonly item[] {
    return [...this.#pending.values()]
  }

  /**
   * Selects operations for a block.
   *
   * @param state The state of the parent, advanced to the slot of the block.
   * @param affected The validators that other operations of the block affect already; those of the selected operations
   * are added.
   * @returns Operations up to the limit of a block.
   */
  forBlock(state: CachedBeaconStateFulu, affected: Set<ValidatorIndex>): item[] {
    const chosen: item[] = []
    for (const item of this.#pending.values()) {
      const validators = this.#kind.affects(item)
      if (chosen.length === this.#maxItems) break
      if (!this.#isApplicable(state, item) || validators.some((validator) => affected.has(validator)))
        continue
      chosen.push(item)
      for (const validator of validators) affected.add(validator)
    }
    return chosen
  }

  /** Removes operations that a state no longer accepts, usually because one of its blocks contains them. */
  prune(state: CachedBeaconStateFulu): void {
    for (const [key, item] of this.#pending) {
      if (!this.#isApplicable(state, item)) this.#pending.delete(key)
    }
  }

  #isApplicable(state: CachedBeaconStateFulu, item: item): boolean {
    try {
      this.#kind.verify(state, item, false)
      return true
    } catch {
      return false
    }
  }
}
