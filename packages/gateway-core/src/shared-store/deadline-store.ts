import { whenLate } from './on-timeout.ts'
import type { SharedStore } from './types.ts'

const usualBudgetMs = 20
// A store that was too slow is not used for this long.
const restMs = 1_000

/**
 * A shared store for calls that wait: each query has a short timeout, and a store that was too slow has a cool-down.
 */
export class DeadlineStore {
  readonly #store: SharedStore | undefined
  readonly #budgetMs: number
  #restsUntil = 0

  /** @param budgetMs - timeout of a query */
  constructor(store: SharedStore | undefined, budgetMs = usualBudgetMs) {
    this.#store = store
    this.#budgetMs = budgetMs
  }

  /** Whether the store is available and not in its cool-down. */
  get isUp(): boolean {
    return this.#store?.isUp === true && performance.now() >= this.#restsUntil
  }

  /**
   * Queries the store, and waits for the response.
   *
   * @returns undefined when there is no response within the timeout
   */
  async ask<answer>(question: (store: SharedStore) => Promise<answer>): Promise<answer | undefined> {
    if (!this.#store || !this.isUp) return undefined
    let answered: (() => void) | undefined
    const late = new Promise<undefined>((resolve) => {
      answered = whenLate(this.#budgetMs, () => resolve(undefined))
    })
    const asked = question(this.#store).catch(() => undefined)
    const answer = await Promise.race([asked, late])
    answered?.()
    if (answer === undefined) this.#rest()
    return answer
  }

  /** Sends an update to the store without waiting for it. */
  tell(statement: (store: SharedStore) => Promise<unknown>): void {
    if (!this.#store || !this.isUp) return
    statement(this.#store).catch(() => this.#rest())
  }

  #rest(): void {
    this.#restsUntil = performance.now() + restMs
  }
}
