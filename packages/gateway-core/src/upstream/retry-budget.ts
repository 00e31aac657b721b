/** Rules of a budget for additional attempts: a share of the calls, plus a constant rate. */
export interface BudgetRules {
  /** Budget earned per call. */
  readonly share: number
  /** Budget earned per second. */
  readonly perSecond: number
  /** Maximum and initial budget. */
  readonly max: number
}

/** Rules for retries: one per five calls, plus ten per second, plus the saved budget. */
export const retryRules: BudgetRules = { share: 0.2, perSecond: 10, max: 256 }

/** Limits the number of retries, so that an outage does not multiply the load. */
export class RetryBudget {
  readonly #rules: BudgetRules
  readonly #now: () => number
  #saved: number
  #at: number

  /** @param now - a clock in milliseconds */
  constructor(rules: BudgetRules, now: () => number = () => performance.now()) {
    this.#rules = rules
    this.#now = now
    this.#saved = rules.max
    this.#at = now()
  }

  /** Counts a call. */
  earn(): void {
    this.#saved = Math.min(this.#rules.max, this.#saved + this.#rules.share)
  }

  /** @returns whether one more attempt may be sent */
  spend(): boolean {
    const now = this.#now()
    const { perSecond, max } = this.#rules
    this.#saved = Math.min(max, this.#saved + ((now - this.#at) / 1_000) * perSecond)
    this.#at = now
    if (this.#saved < 1) return false
    this.#saved -= 1
    return true
  }
}
