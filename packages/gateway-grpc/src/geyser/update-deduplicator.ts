import type { UpdateIdentity } from './update-identity.ts'

/**
 * The updates of the latest slots that a client has received. Until a replay is expected, only their keys are listed.
 */
export class DeliveredUpdates {
  readonly #slotsKept: number
  readonly #keysOf = new Map<number, number[] | Set<number>>()
  #isReplayed = false
  #oldest: number | undefined
  #newest: number | undefined

  /** @param slotsKept - number of slots below the latest one for which updates are recorded */
  constructor(slotsKept: number) {
    this.#slotsKept = slotsKept
  }

  /** The first slot from which updates may be missing; undefined before the first update. */
  get resumeFrom(): number | undefined {
    if (this.#newest === undefined || this.#oldest === undefined) return undefined
    // Slots before the first update were not requested.
    return Math.max(this.#newest - this.#slotsKept, this.#oldest)
  }

  /** Prepares for updates that may repeat from now on. */
  expectReplay(): void {
    this.#isReplayed = true
    for (const [slot, keys] of this.#keysOf) this.#keysOf.set(slot, new Set(keys))
  }

  /** @returns whether the client has not received the update yet */
  add({ slot, key }: UpdateIdentity): boolean {
    this.#oldest = Math.min(this.#oldest ?? slot, slot)
    if (slot > (this.#newest ?? -1)) this.#moveTo(slot)
    let keys = this.#keysOf.get(slot)
    if (keys === undefined) {
      // Older slots are never requested again.
      if (slot < (this.#newest ?? 0) - this.#slotsKept) return true
      keys = this.#isReplayed ? new Set() : []
      this.#keysOf.set(slot, keys)
    }
    if (Array.isArray(keys)) {
      keys.push(key)
      return true
    }
    const before = keys.size
    return keys.add(key).size > before
  }

  #moveTo(newest: number): void {
    this.#newest = newest
    for (const slot of this.#keysOf.keys()) if (slot < newest - this.#slotsKept) this.#keysOf.delete(slot)
  }
}
