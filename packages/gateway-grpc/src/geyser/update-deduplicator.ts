import type { UpdateIdentity } from './update-identity.ts'

// Several times the updates of the busiest slots; 8 MiB.
const maxKeys = 1_000_000

/** Detects repeated updates of the latest slots. Until a replay is expected, it only lists the keys of the updates. */
export class UpdateDeduplicator {
  readonly #retainedSlots: number
  readonly #keysBySlot = new Map<number, number[] | Set<number>>()
  #isReplayExpected = false
  #keys = 0
  #oldest: number | undefined
  #latest: number | undefined

  /** @param retainedSlots - number of slots below the latest one for which updates are recorded */
  constructor(retainedSlots: number) {
    this.#retainedSlots = retainedSlots
  }

  /** The first slot from which updates may be missing; undefined before the first update. */
  get resumeFrom(): number | undefined {
    if (this.#latest === undefined || this.#oldest === undefined) return undefined
    // Slots before the first update were not requested.
    return Math.max(this.#latest - this.#retainedSlots, this.#oldest)
  }

  /** Whether the slots have more updates than are recorded, so that repetitions are not detected. */
  get isFull(): boolean {
    return this.#keys >= maxKeys
  }

  /** Prepares for updates that may repeat from now on. */
  expectReplay(): void {
    this.#isReplayExpected = true
    this.#keys = 0
    for (const [slot, keys] of this.#keysBySlot) {
      const distinct = new Set(keys)
      this.#keys += distinct.size
      this.#keysBySlot.set(slot, distinct)
    }
  }

  /** @returns whether the client has not received the update yet */
  add({ slot, key }: UpdateIdentity): boolean {
    this.#oldest = Math.min(this.#oldest ?? slot, slot)
    if (slot > (this.#latest ?? -1)) this.#advanceTo(slot)
    let keys = this.#keysBySlot.get(slot)
    if (keys === undefined) {
      // Older slots are never requested again.
      if (slot < (this.#latest ?? 0) - this.#retainedSlots) return true
      keys = this.#isReplayExpected ? new Set() : []
      this.#keysBySlot.set(slot, keys)
    }
    if (Array.isArray(keys)) {
      if (this.isFull) return true
      this.#keys += 1
      keys.push(key)
      return true
    }
    if (keys.has(key)) return false
    if (this.isFull) return true
    this.#keys += 1
    keys.add(key)
    return true
  }

  #advanceTo(latest: number): void {
    this.#latest = latest
    for (const [slot, keys] of this.#keysBySlot) {
      if (slot >= latest - this.#retainedSlots) continue
      this.#keys -= Array.isArray(keys) ? keys.length : keys.size
      this.#keysBySlot.delete(slot)
    }
  }
}
