import { whenLate } from './late.ts'
import type { SharedStore } from './types.ts'

const usualBudgetMs = 20
// A store that was too slow is left alone for this long.
const restMs = 1_000

/** A shared store for calls that wait: it is asked for a moment at most, and left alone when it was too slow. */
export class DeadlineStore {
  readonly #store: SharedStore | undefined
  readonly #budgetMs: number
  #restsUntil = 0

  /** @param budgetMs - how long it is waited for */
  constructor(store: SharedStore | undefined, budgetMs = usualBudgetMs) {
    this.#store = store
    this.#budgetMs = budgetMs
  }

  /** Whether it is worth asking. */
  get isUp(): boolean {
    return this.#store?.isUp === true && performance.now() >= this.#restsUntil
  }

  /**
   * Asks the store, and waits for the answer.
   *
   * @returns undefined when there is none soon enough
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

  /** Tells the store something, without waiting for it. */
  tell(statement: (store: SharedStore) => Promise<unknown>): void {
    if (!this.#store || !this.isUp) return
    statement(this.#store).catch(() => this.#rest())
  }

  #rest(): void {
    this.#restsUntil = performance.now() + restMs
  }
}
