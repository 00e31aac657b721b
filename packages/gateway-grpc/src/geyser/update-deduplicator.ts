import type { UpdateIdentity } from './update-identity.ts'

/** Detects repeated updates of the latest slots. Until a replay is expected, it only lists the keys of the updates. */
export class UpdateDeduplicator {
  readonly #retainedSlots: number
  readonly #keysBySlot = new Map<number, number[] | Set<number>>()
  #isReplayExpected = false
  #oldest: number | undefined
  #newest: number | undefined

  /** @param retainedSlots - number of slots below the latest one for which updates are recorded */
  constructor(retainedSlots: number) {
    this.#retainedSlots = retainedSlots
  }

  /** The first slot from which updates may be missing; undefined before the first update. */
  get resumeFrom(): number | undefined {
    if (this.#newest === undefined || this.#oldest === undefined) return undefined
    // Slots before the first update were not requested.
    return Math.max(this.#newest - this.#retainedSlots, this.#oldest)
  }

  /** Prepares for updates that may repeat from now on. */
  expectReplay(): void {
    this.#isReplayExpected = true
    for (const [slot, keys] of this.#keysBySlot) this.#keysBySlot.set(slot, new Set(keys))
  }

  /** @returns whether the client has not received the update yet */
  add({ slot, key }: UpdateIdentity): boolean {
    this.#oldest = Math.min(this.#oldest ?? slot, slot)
    if (slot > (this.#newest ?? -1)) this.#advanceTo(slot)
    let keys = this.#keysBySlot.get(slot)
    if (keys === undefined) {
      // Older slots are never requested again.
      if (slot < (this.#newest ?? 0) - this.#retainedSlots) return true
      keys = this.#isReplayExpected ? new Set() : []
      this.#keysBySlot.set(slot, keys)
    }
    if (Array.isArray(keys)) {
      keys.push(key)
      return true
    }
    const previousSize = keys.size
    return keys.add(key).size > previousSize
  }

  #advanceTo(newest: number): void {
    this.#newest = newest
    for (const slot of this.#keysBySlot.keys())
      if (slot < newest - this.#retainedSlots) this.#keysBySlot.delete(slot)
  }
}
