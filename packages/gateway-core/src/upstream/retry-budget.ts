/** What an upstream pool may spend on calls beside the first of each: a share of these, and a little at all times. */
export interface BudgetRules {
  /** Earned by each call. */
  readonly share: number
  /** Earned by each second. */
  readonly perSecond: number
  /** Most that can be saved, and what is there in the beginning. */
  readonly most: number
}

/** For calls that are sent again: one for every five, ten in a second, and as many as were saved. */
export const retryRules: BudgetRules = { share: 0.2, perSecond: 10, most: 256 }

/** Bounds the calls that are sent a second time, so that an outage does not multiply the load. */
export class RetryBudget {
  readonly #rules: BudgetRules
  readonly #now: () => number
  #saved: number
  #at: number

  /** @param now - a clock in milliseconds */
  constructor(rules: BudgetRules, now: () => number = () => performance.now()) {
    this.#rules = rules
    this.#now = now
    this.#saved = rules.most
    this.#at = now()
  }

  /** Counts a call. */
  earn(): void {
    this.#saved = Math.min(this.#rules.most, this.#saved + this.#rules.share)
  }

  /** @returns whether one more may be sent */
  spend(): boolean {
    const now = this.#now()
    const { perSecond, most } = this.#rules
    this.#saved = Math.min(most, this.#saved + ((now - this.#at) / 1_000) * perSecond)
    this.#at = now
    if (this.#saved < 1) return false
    this.#saved -= 1
    return true
  }
}
