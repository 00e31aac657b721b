/** Somebody who waits. */
export interface Waiter<claim> {
  readonly claim: claim
  readonly go: () => void
}

/** A line of those who wait, in which every credential has its turn, and its own calls go in the order of their coming. */
export class WaitingQueue<claim> {
  /** Credentials in the order of their turns; none without a waiter. */
  readonly #byCredential = new Map<string, Set<Waiter<claim>>>()

  get isEmpty(): boolean {
    return this.#byCredential.size === 0
  }

  has(credentialId: string): boolean {
    return this.#byCredential.has(credentialId)
  }

  /** @returns a function that leaves the line without a place */
  join(credentialId: string, waiter: Waiter<claim>): () => void {
    const waiters = this.#byCredential.get(credentialId) ?? new Set()
    this.#byCredential.set(credentialId, waiters.add(waiter))
    return () => this.#remove(credentialId, waiter)
  }

  /** Takes the first waiter out of the line whose claim can be met; its credential comes last from now on. */
  next(canGo: (claim: claim) => boolean): Waiter<claim> | undefined {
    for (const [credentialId, waiters] of this.#byCredential) {
      const [first] = waiters
      if (!first || !canGo(first.claim)) continue
      this.#remove(credentialId, first)
      if (this.#byCredential.delete(credentialId)) this.#byCredential.set(credentialId, waiters)
      return first
    }
    return undefined
  }

  #remove(credentialId: string, waiter: Waiter<claim>): void {
    const waiters = this.#byCredential.get(credentialId)
    waiters?.delete(waiter)
    if (waiters?.size === 0 && this.#byCredential.get(credentialId) === waiters) {
      this.#byCredential.delete(credentialId)
    }
  }
}
