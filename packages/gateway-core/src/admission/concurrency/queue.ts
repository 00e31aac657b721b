/** A queued call. */
export interface Waiter<claim> {
  readonly claim: claim
  readonly start: () => void
}

/** A queue that serves credentials in round-robin order. The calls of one credential are served first in, first out. */
export class WaitingQueue<claim> {
  /** Credentials in the order in which they are served; each one has at least one waiter. */
  readonly #byCredential = new Map<string, Set<Waiter<claim>>>()

  get isEmpty(): boolean {
    return this.#byCredential.size === 0
  }

  has(credentialId: string): boolean {
    return this.#byCredential.has(credentialId)
  }

  /** @returns a function that removes the waiter from the queue */
  enqueue(credentialId: string, waiter: Waiter<claim>): () => void {
    const waiters = this.#byCredential.get(credentialId) ?? new Set()
    this.#byCredential.set(credentialId, waiters.add(waiter))
    return () => this.#remove(credentialId, waiter)
  }

  /** Removes and returns the first waiter whose claim can be met; its credential moves to the end of the order. */
  next(canStart: (claim: claim) => boolean): Waiter<claim> | undefined {
    for (const [credentialId, waiters] of this.#byCredential) {
      const [first] = waiters
      if (!first || !canStart(first.claim)) continue
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
