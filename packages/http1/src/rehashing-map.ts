const fewestEntries = 512

/**
 * A map that lives long, of what comes and goes with every call or connection.
 *
 * A `Map` whose entries come and go moves to a new table again and again, and the table that it leaves points to the new
 * one and keeps what was in it. Once a collection of the whole heap has made one of them old, those of young objects take
 * all tables after it for alive, and whatever was under way with them, until the next collection of the whole heap, which
 * makes another one old. A new map every now and then ends the chain.
 */
export class RehashingMap<key, value> {
  #entries = new Map<key, value>()
  // Entries that may still come before the next map is made.
  #left = fewestEntries

  get size(): number {
    return this.#entries.size
  }

  get(key: key): value | undefined {
    return this.#entries.get(key)
  }

  set(key: key, value: value): void {
    if (--this.#left < 0) {
      this.#entries = new Map(this.#entries)
      this.#left = Math.max(fewestEntries, 2 * this.#entries.size)
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
