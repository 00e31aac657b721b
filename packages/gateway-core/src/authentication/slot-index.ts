/** What an index needs to know of the slots in it. */
export interface Indexed {
  /** Thirty-two bits that spread well. */
  hashOf(slot: number): number
}

const smallest = 16

/**
 * Finds slots by a hash of what is in them: open addressing with linear probing in one typed array, at most half full.
 * Eight to sixteen bytes for each slot, and nothing for the garbage collector to walk through.
 */
export class SlotIndex {
  readonly #indexed: Indexed
  /** Each one more than the slot; 0 is a free place. */
  #places = new Int32Array(smallest)
  #count = 0

  constructor(indexed: Indexed) {
    this.#indexed = indexed
  }

  /** The slot that is the right one, or -1. */
  find(hash: number, isRight: (slot: number) => boolean): number {
    const places = this.#places
    const mask = places.length - 1
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const slot = (places[at] ?? 0) - 1
      if (slot === -1 || isRight(slot)) return slot
    }
  }

  /** Adds a slot that is not in it yet. */
  add(slot: number): void {
    if ((this.#count + 1) * 2 > this.#places.length) this.#grow()
    this.#put(slot)
    this.#count += 1
  }

  /** Takes a slot out, as long as it holds what it was added with. */
  delete(slot: number): void {
    const places = this.#places
    const mask = places.length - 1
    let hole = this.#indexed.hashOf(slot) & mask
    while (places[hole] !== slot + 1) {
      if (places[hole] === 0) return
      hole = (hole + 1) & mask
    }
    this.#count -= 1
    // Whoever stands behind moves up, or the hole would cut it off from where its search begins.
    for (let at = (hole + 1) & mask; places[at] !== 0; at = (at + 1) & mask) {
      const home = this.#indexed.hashOf((places[at] ?? 0) - 1) & mask
      if (((at - home) & mask) < ((at - hole) & mask)) continue
      places[hole] = places[at] ?? 0
      hole = at
    }
    places[hole] = 0
  }

  #put(slot: number): void {
    const mask = this.#places.length - 1
    let at = this.#indexed.hashOf(slot) & mask
    while (this.#places[at] !== 0) at = (at + 1) & mask
    this.#places[at] = slot + 1
  }

  #grow(): void {
    const old = this.#places
    this.#places = new Int32Array(old.length * 2)
    for (const place of old) if (place !== 0) this.#put(place - 1)
  }
}
