import { RehashingMap } from '@fairlead/runtime'

// Responses that are only forwarded are not buffered. A trace of a long execution can have any size.
const maxBytesOfRequest = 64 * 1024 * 1024

// Half of the budget is left to the other owners.
const largestShare = 0.5

/**
 * The memory budget for all buffered responses. It limits the total, whatever the number of clients, and the share of
 * each owner.
 */
export class MemoryBudget {
  readonly #share: number
  readonly #byOwner = new RehashingMap<string, number>()
  #available: number

  /** @param bytes - for the responses of all requests together */
  constructor(bytes: number) {
    this.#available = bytes
    this.#share = bytes * largestShare
  }

  /**
   * Creates the reservation of one request; it is empty at first.
   *
   * @param owner - id of the credential of the request
   */
  reserve(owner?: string): Reservation {
    return new Reservation(this, owner)
  }

  canReserve(bytes: number, owner?: string): boolean {
    return bytes <= this.#available && (owner === undefined || this.#reservedBy(owner) + bytes <= this.#share)
  }

  take(bytes: number, owner?: string): boolean {
    if (!this.canReserve(bytes, owner)) return false
    this.#available -= bytes
    if (owner !== undefined) this.#byOwner.set(owner, this.#reservedBy(owner) + bytes)
    return true
  }

  release(bytes: number, owner?: string): void {
    this.#available += bytes
    if (owner === undefined || bytes === 0) return
    const taken = this.#reservedBy(owner) - bytes
    if (taken > 0) this.#byOwner.set(owner, taken)
    else this.#byOwner.delete(owner)
  }

  #reservedBy(owner: string): number {
    return this.#byOwner.get(owner) ?? 0
  }
}

/** A reservation exceeds the limit of one request, or of all requests together. */
export class MemoryLimitError extends Error {
  override readonly name = 'MemoryLimitError'
  readonly limit: 'request' | 'total'

  constructor(limit: 'request' | 'total') {
    super(
      limit === 'request'
        ? 'The response is too large to buffer.'
        : 'The responses exceed the memory limit of the gateway. Request less data or retry.',
    )
    this.limit = limit
  }
}

/** The memory reservation of one request. Its creator releases it when the responses have been sent. */
export class Reservation {
  readonly #memory: MemoryBudget
  readonly #owner: string | undefined
  #reserved = 0

  constructor(memory: MemoryBudget, owner: string | undefined) {
    this.#memory = memory
    this.#owner = owner
  }

  /** @throws {@link MemoryLimitError} when the request or the gateway exceeds its limit */
  take(bytes: number): void {
    const failure = this.tryTake(bytes)
    if (failure) throw failure
  }

  /** Same as {@link take}, but returns the failure instead of throwing it. */
  tryTake(bytes: number): MemoryLimitError | undefined {
    if (this.#reserved + bytes > maxBytesOfRequest) return new MemoryLimitError('request')
    if (!this.#memory.take(bytes, this.#owner)) return new MemoryLimitError('total')
    this.#reserved += bytes
    return undefined
  }

  /** Whether memory is available for optional data. */
  canReserve(bytes: number): boolean {
    return this.#memory.canReserve(bytes, this.#owner)
  }

  shrink(bytes: number): void {
    this.#reserved -= bytes
    this.#memory.release(bytes, this.#owner)
  }

  release(): void {
    this.shrink(this.#reserved)
  }
}
