const minEntries = 512

/**
 * A long-lived map for entries that are added and removed with every call or connection.
 *
 * When a `Map` adds and removes entries, it repeatedly moves to a new table. The old table points to the new one and
 * retains its entries. Once a full garbage collection has moved one old table to the old generation, every
 * young-generation collection treats all later tables and their entries as live. This lasts until the next full
 * collection, which moves another table to the old generation. Replacing the map from time to time breaks the chain.
 */
export class RehashingMap<key, value> {
  #entries = new Map<key, value>()
  // Number of entries that can be added before the map is replaced.
  #additionsLeft = minEntries

  get size(): number {
    return this.#entries.size
  }

  get(key: key): value | undefined {
    return this.#entries.get(key)
  }

  set(key: key, value: value): void {
    if (--this.#additionsLeft < 0) {
      this.#entries = new Map(this.#entries)
      this.#additionsLeft = Math.max(minEntries, 2 * this.#entries.size)
    }
    this.#entries.set(key, value)
  }

  delete(key: key): void {
    this.#entries.delete(key)
  }

  keys(): MapIterator<key> {
    return this.#entries.keys()
  }
}
