/** The concurrency slots of one owner. */
export class SlotCounter {
  readonly owner: string
  limit: number
  held = 0
  /** Number of queued calls that need a slot of this owner. */
  waiting = 0

  constructor(owner: string, limit: number) {
    this.owner = owner
    this.limit = limit
  }

  /** Frees memory of unused state. Returns whether nothing refers to the counter. */
  removeIdle(): boolean {
    // A queued call refers to its state.
    return this.held === 0 && this.waiting === 0
  }
}

// Maximum share of the slots of a node or project for one credential, when other credentials use them as well.
const maxShareOfCredential = 0.75

/** The concurrency slots of a node or a project, which its credentials share. */
export class SharedSlotCounter extends SlotCounter {
  /** Slots by the credential that holds them. It includes credentials that held slots recently. */
  readonly #heldBy = new Map<string, number>()

  /** Whether a credential may hold one more slot. */
  isFree(credentialId: string): boolean {
    if (this.held >= this.limit) return false
    const current = this.#heldBy.get(credentialId)
    const isOnlyCredential = this.#heldBy.size === (current === undefined ? 0 : 1)
    return isOnlyCredential || (current ?? 0) < Math.max(1, Math.floor(this.limit * maxShareOfCredential))
  }

  change(credentialId: string, by: number): void {
    this.held += by
    this.#heldBy.set(credentialId, (this.#heldBy.get(credentialId) ?? 0) + by)
  }

  override removeIdle(): boolean {
    // The credential of a queued call counts among those that share the slots.
    if (this.waiting > 0) return false
    for (const [credentialId, count] of this.#heldBy) if (count === 0) this.#heldBy.delete(credentialId)
    return super.removeIdle()
  }
}
