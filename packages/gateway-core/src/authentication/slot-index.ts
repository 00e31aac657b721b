/** Hashes the slots of an index. */
export interface Indexed {
  /** Returns a 32-bit hash with a good distribution. */
  hashOf(slot: number): number
}

const smallest = 16

/**
 * Finds slots by the hash of their content. It uses open addressing with linear probing in one typed array that is at
 * most half full. It needs 8 to 16 bytes per slot, and the garbage collector does not have to scan it.
 */
export class SlotIndex {
  readonly #indexed: Indexed
  /** Each entry is the slot plus one; 0 = empty. */
  #buckets = new Int32Array(smallest)
  #count = 0

  constructor(indexed: Indexed) {
    this.#indexed = indexed
  }

  /** The matching slot, or -1. */
  find(hash: number, isMatch: (slot: number) => boolean): number {
    const buckets = this.#buckets
    const mask = buckets.length - 1
    // Advances before the first probe too, so that code that was optimized before any collision stays valid.
    for (let at = hash - 1; ;) {
      at = (at + 1) & mask
      const slot = (buckets[at] ?? 0) - 1
      if (slot === -1 || isMatch(slot)) return slot
    }
  }

  /** Adds a slot that is not in the index yet. */
  add(slot: number): void {
    if ((this.#count + 1) * 2 > this.#buckets.length) this.#grow()
    this.#put(slot)
    this.#count += 1
  }

  /** Removes a slot. Its content must be the same as when it was added. */
  delete(slot: number): void {
    const buckets = this.#buckets
    const mask = buckets.length - 1
    let hole = this.#indexed.hashOf(slot) & mask
    while (buckets[hole] !== slot + 1) {
      if (buckets[hole] === 0) return
      hole = (hole + 1) & mask
    }
    this.#count -= 1
    // Entries after the hole move up. Otherwise the hole would separate them from the start of their probe sequence.
    for (let at = (hole + 1) & mask; buckets[at] !== 0; at = (at + 1) & mask) {
      const home = this.#indexed.hashOf((buckets[at] ?? 0) - 1) & mask
      if (((at - home) & mask) < ((at - hole) & mask)) continue
      buckets[hole] = buckets[at] ?? 0
      hole = at
    }
    buckets[hole] = 0
  }

  #put(slot: number): void {
    const mask = this.#buckets.length - 1
    let at = this.#indexed.hashOf(slot) & mask
    while (this.#buckets[at] !== 0) at = (at + 1) & mask
    this.#buckets[at] = slot + 1
  }

  #grow(): void {
    const previous = this.#buckets
    this.#buckets = new Int32Array(previous.length * 2)
    for (const bucket of previous) if (bucket !== 0) this.#put(bucket - 1)
  }
}
