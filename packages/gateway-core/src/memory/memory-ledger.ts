import { FairShares, type Owner, type Share } from '@fairlead/runtime'

/** What memory is held for. */
export type MemoryKind = keyof typeof memoryFactors

/**
 * Bytes of resident memory that a counted byte of each kind costs, with the objects that belong to it. Measured by `npm
 * run benchmark -- memory-factors`.
 */
export const memoryFactors = {
  /** Request bodies and messages: their bytes, their text and the parsed values. */
  request: 4,
  /** Buffered responses of upstreams. */
  response: 2,
  /** Bytes that wait for a client to read them, and bytes of requests that are incomplete. */
  pending: 1,
  /** Objects whose cost in memory is known: connections, streams, calls and subscriptions. */
  objects: 1,
} as const

// Responses that are only forwarded are not buffered. A trace of a long execution can have any size.
const maxBytesOfReservation = 64 * 1024 * 1024

const stepBytes = 65_536
const aheadBytes = 4_096

/** Current use, and refusals since the start. */
export interface MemoryStates {
  readonly reserved: number
  readonly capacity: number
  readonly refused: Readonly<Record<MemoryKind, number>>
}

/**
 * Counts the memory of everything that clients can make the gateway hold, before it is held. It limits the total and the
 * share of each owner, in bytes of resident memory.
 */
export class MemoryLedger {
  readonly #shares: FairShares
  readonly #refused = { request: 0, response: 0, pending: 0, objects: 0 }

  /** @param capacity - bytes of resident memory for all owners together */
  constructor(capacity: number) {
    this.#shares = new FairShares({ capacity })
  }

  /**
   * Creates an empty reservation.
   *
   * @param owner - the grant of a request or the address of its client; undefined for the gateway itself
   */
  reserve(owner: Owner, kind: MemoryKind): Reservation {
    return new Reservation(this, owner, kind)
  }

  /** Whether {@link take} would succeed. */
  canTake(owner: Owner, kind: MemoryKind, bytes: number): boolean {
    return this.#shares.canTake(owner, bytes * memoryFactors[kind])
  }

  /** Takes memory for an owner; undefined when it exceeds what the owner may use. */
  take(owner: Owner, kind: MemoryKind, bytes: number): Share | undefined {
    const share = this.#shares.take(owner, bytes * memoryFactors[kind])
    if (!share) this.#refused[kind] += 1
    return share
  }

  give(share: Share, kind: MemoryKind, bytes: number): void {
    this.#shares.give(share, bytes * memoryFactors[kind])
  }

  states(): MemoryStates {
    return { reserved: this.#shares.used, capacity: this.#shares.capacity, refused: this.#refused }
  }
}

/** A reservation exceeds the limit of one request, or the share of its owner. */
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

/** The memory of one request, connection or stream. Its creator releases it when nothing is held. */
export class Reservation {
  readonly #ledger: MemoryLedger
  readonly #kind: MemoryKind
  #owner: Owner
  #bytes = 0
  /** Part of the reserved bytes that is not in use yet. */
  #spare = 0
  // Set while bytes are reserved.
  #share: Share | undefined

  constructor(ledger: MemoryLedger, owner: Owner, kind: MemoryKind) {
    this.#ledger = ledger
    this.#owner = owner
    this.#kind = kind
  }

  /** @throws {@link MemoryLimitError} when the request or its owner exceeds its limit */
  take(bytes: number): void {
    const failure = this.tryTake(bytes)
    if (failure) throw failure
  }

  /** Same as {@link take}, but returns the failure instead of throwing it. */
  tryTake(bytes: number): MemoryLimitError | undefined {
    const missing = bytes - this.#spare
    if (missing <= 0) {
      this.#spare -= bytes
      return undefined
    }
    if (this.#bytes + missing > maxBytesOfReservation) return new MemoryLimitError('request')
    // Most responses of a batch are short: after the second one, they do not reach the ledger.
    const isRepeated = this.#bytes > 0 && bytes < aheadBytes
    const ahead = isRepeated && this.canReserve(missing + aheadBytes) ? aheadBytes : 0
    if (!this.#take(missing + ahead)) return new MemoryLimitError('total')
    this.#spare = ahead
    return undefined
  }

  /** Whether memory is available for optional data. */
  canReserve(bytes: number): boolean {
    return this.#ledger.canTake(this.#owner, this.#kind, bytes)
  }

  /**
   * Adjusts the reservation to a changed size, in steps: most changes do not reach the ledger.
   *
   * @returns false when the owner may not hold so much; the reservation is unchanged
   */
  resize(bytes: number): boolean {
    const missing = bytes - this.#bytes
    if (missing > 0) return this.#take(Math.ceil(missing / stepBytes) * stepBytes)
    // The second step avoids that a size at a boundary reaches the ledger with every change.
    if (missing <= -2 * stepBytes) this.shrink((Math.floor(-missing / stepBytes) - 1) * stepBytes)
    return true
  }

  /**
   * Transfers the reservation to another owner, for example when a request has been authenticated.
   *
   * @returns false when that owner may not hold so much; the reservation is unchanged
   */
  moveTo(owner: Owner): boolean {
    const bytes = this.#bytes
    const share = bytes === 0 ? undefined : this.#ledger.take(owner, this.#kind, bytes)
    if (bytes > 0 && !share) return false
    this.release()
    this.#owner = owner
    this.#bytes = bytes
    this.#share = share
    return true
  }

  shrink(bytes: number): void {
    if (!this.#share || bytes === 0) return
    this.#ledger.give(this.#share, this.#kind, bytes)
    this.#bytes -= bytes
    if (this.#bytes > 0) return
    this.#share = undefined
    this.#spare = 0
  }

  release(): void {
    this.shrink(this.#bytes)
  }

  #take(bytes: number): boolean {
    if (bytes === 0) return true
    const share = this.#ledger.take(this.#owner, this.#kind, bytes)
    if (!share) return false
    this.#share = share
    this.#bytes += bytes
    return true
  }
}
