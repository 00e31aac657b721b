import { RehashingMap } from '@fairlead/http1'

// Answers that are only passed on are not held at all. A trace of a long execution can be of any size.
const maxBytesOfRequest = 64 * 1024 * 1024

// Half is left to the others, whatever one of them does.
const largestShare = 0.5

/**
 * The memory for all answers that have to be held whole, so that no number of clients can use up more, and none of them
 * more than its share.
 */
export class MemoryBudget {
  readonly #share: number
  readonly #byOwner = new RehashingMap<string, number>()
  #left: number

  /** @param bytes - for the answers of all requests together */
  constructor(bytes: number) {
    this.#left = bytes
    this.#share = bytes * largestShare
  }

  /**
   * The part of one request; it takes nothing yet.
   *
   * @param owner - id of the credential whose request it is
   */
  reserve(owner?: string): Reservation {
    return new Reservation(this, owner)
  }

  canReserve(bytes: number, owner?: string): boolean {
    return bytes <= this.#left && (owner === undefined || this.#takenBy(owner) + bytes <= this.#share)
  }

  take(bytes: number, owner?: string): boolean {
    if (!this.canReserve(bytes, owner)) return false
    this.#left -= bytes
    if (owner !== undefined) this.#byOwner.set(owner, this.#takenBy(owner) + bytes)
    return true
  }

  release(bytes: number, owner?: string): void {
    this.#left += bytes
    if (owner === undefined || bytes === 0) return
    const taken = this.#takenBy(owner) - bytes
    if (taken > 0) this.#byOwner.set(owner, taken)
    else this.#byOwner.delete(owner)
  }

  #takenBy(owner: string): number {
    return this.#byOwner.get(owner) ?? 0
  }
}

/** A reservation exceeds the limit of one request, or of all requests together. */
export class MemoryLimitError extends Error {
  override readonly name = 'MemoryLimitError'
  readonly limit: 'request' | 'total'

  constructor(limit: 'request' | 'total') {
    super(
      limit === 'request' ? 'The answer is too large.' : 'The service holds too many answers at the moment.',
    )
    this.limit = limit
  }
}

/** What the answers of one request take of the memory. Whoever made it empties it when they have left. */
export class Reservation {
  readonly #memory: MemoryBudget
  readonly #owner: string | undefined
  #taken = 0

  constructor(memory: MemoryBudget, owner: string | undefined) {
    this.#memory = memory
    this.#owner = owner
  }

  /** @throws {@link MemoryLimitError} when the request, or the service, would hold too much */
  take(bytes: number): void {
    const failure = this.tryTake(bytes)
    if (failure) throw failure
  }

  /** As {@link take}, but gives the failure instead of throwing it. */
  tryTake(bytes: number): MemoryLimitError | undefined {
    if (this.#taken + bytes > maxBytesOfRequest) return new MemoryLimitError('request')
    if (!this.#memory.take(bytes, this.#owner)) return new MemoryLimitError('total')
    this.#taken += bytes
    return undefined
  }

  /** Whether there is memory for something that need not be held. */
  canReserve(bytes: number): boolean {
    return this.#memory.canReserve(bytes, this.#owner)
  }

  shrink(bytes: number): void {
    this.#taken -= bytes
    this.#memory.release(bytes, this.#owner)
  }

  release(): void {
    this.shrink(this.#taken)
  }
}
