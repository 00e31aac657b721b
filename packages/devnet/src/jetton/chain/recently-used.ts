/** An LRU cache. */
export class RecentlyUsed<key, value> {
  readonly #most: number
  // A map iterates in insertion order.
  readonly #entries = new Map<key, value>()

  /**
   * @param most Maximum number of entries.
   */
  constructor(most: number) {
    this.#most = most
  }

  get(key: key, make: () => value): value {
    const value = this.#entries.get(key) ?? make()
    this.set(key, value)
    return value
  }

  set(key: key, value: value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#most) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }
}
