/** An LRU cache. */
export class RecentlyUsed<key, value> {
  readonly #maxSize: number
  // A map iterates in insertion order.
  readonly #entries = new Map<key, value>()

  /**
   * @param maxSize Maximum number of entries.
   */
  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  get(key: key, make: () => value): value {
    const value = this.#entries.get(key) ?? make()
    this.set(key, value)
    return value
  }

  set(key: key, value: value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#maxSize) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }
}
