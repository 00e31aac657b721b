import { onTimeout } from './on-timeout.ts'
import type { SharedStore } from './types.ts'

const defaultTimeoutMs = 20
// A store that was too slow is not used for this long.
const coolDownMs = 1_000

/**
 * A shared store for calls that wait: each query has a short timeout, and a store that was too slow has a cool-down.
 */
export class DeadlineStore {
  readonly #store: SharedStore | undefined
  readonly #timeoutMs: number
  #coolDownUntil = 0

  /** @param timeoutMs - timeout of a query */
  constructor(store: SharedStore | undefined, timeoutMs = defaultTimeoutMs) {
    this.#store = store
    this.#timeoutMs = timeoutMs
  }

  /** Whether the store is available and not in its cool-down. */
  get isUp(): boolean {
    return this.#store?.isUp === true && performance.now() >= this.#coolDownUntil
  }

  /**
   * Queries the store, and waits for the response.
   *
   * @returns undefined when there is no response within the timeout
   */
  async query<result>(execute: (store: SharedStore) => Promise<result>): Promise<result | undefined> {
    if (!this.#store || !this.isUp) return undefined
    let cancelTimeout: (() => void) | undefined
    const timeout = new Promise<undefined>((resolve) => {
      cancelTimeout = onTimeout(this.#timeoutMs, () => resolve(undefined))
    })
    const pending = execute(this.#store).catch(() => undefined)
    const result = await Promise.race([pending, timeout])
    cancelTimeout?.()
    if (result === undefined) this.#coolDown()
    return result
  }

  /** Sends an update to the store without waiting for it. */
  update(execute: (store: SharedStore) => Promise<unknown>): void {
    if (!this.#store || !this.isUp) return
    execute(this.#store).catch(() => this.#coolDown())
  }

  #coolDown(): void {
    this.#coolDownUntil = performance.now() + coolDownMs
  }
}
