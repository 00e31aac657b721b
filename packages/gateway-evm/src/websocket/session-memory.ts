import type { MemoryLedger, Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import type { Tenant } from '@fairlead/runtime'

/** Resident memory of an idle WebSocket in bytes, with its TCP connection and the data below {@link freeBytes}. */
export const idleBytes = 65_536

/** Part of the cost of each WebSocket: most hold no more, and need no reservation for each message. */
export const freeBytes = 8_192
// Each chunk and each fragment of an incomplete message is an object.
const bytesOfPart = 256
const bytesOfSubscription = 1_024
const bytesOfFilterItem = 256

/** Counts the memory that one WebSocket holds. */
export class SessionMemory {
  readonly #objects: Reservation
  readonly #requests: Reservation
  #incomplete = 0
  #messages = 0
  #unsent = 0
  #subscriptions = 0
  #isReleased = false

  /** @throws {@link MemoryLimitError} when the organization may not hold another WebSocket */
  constructor(ledger: Pick<MemoryLedger, 'reserve'>, tenant: Tenant) {
    this.#objects = ledger.reserve(tenant, 'pending')
    this.#requests = ledger.reserve(tenant, 'request')
    this.#objects.take(idleBytes)
  }

  /** Counts a chunk of received bytes, until {@link receiveMessage}. Returns false when it must not be held. */
  receiveBytes(bytes: number): boolean {
    return this.#receive(bytes + bytesOfPart)
  }

  /** Counts frames, until {@link receiveMessage}. Returns false when they must not be held. */
  receiveFrames(frames: number): boolean {
    return this.#receive(frames * bytesOfPart)
  }

  #receive(bytes: number): boolean {
    this.#incomplete += bytes
    return this.#incomplete <= freeBytes || this.#resizeObjects()
  }

  /** Counts a message until {@link endMessage}; false when it must not be held. */
  receiveMessage(bytes: number): boolean {
    this.#incomplete = 0
    this.#messages += bytes
    return this.#messages <= freeBytes || this.#requests.resize(this.#messages)
  }

  endMessage(bytes: number): void {
    const wasCounted = this.#messages > freeBytes
    this.#messages -= bytes
    if (!wasCounted || this.#isReleased) return
    if (this.#messages > freeBytes) this.#requests.resize(this.#messages)
    else this.#requests.release()
  }

  /** Sets the number of bytes that the client has not read; false when they must not be held. */
  holdUnsent(bytes: number): boolean {
    const wasCounted = this.#unsent > freeBytes
    this.#unsent = bytes
    return (!wasCounted && bytes <= freeBytes) || this.#resizeObjects()
  }

  /**
   * Counts a subscription.
   *
   * @param filterItems - number of its addresses, topics and hashes
   * @returns a function that ends it; undefined when it must not be held
   */
  holdSubscription(filterItems: number): (() => void) | undefined {
    const bytes = bytesOfSubscription + filterItems * bytesOfFilterItem
    this.#subscriptions += bytes
    const end = () => {
      this.#subscriptions -= bytes
      this.#resizeObjects()
    }
    if (this.#resizeObjects()) return end
    this.#subscriptions -= bytes
    return undefined
  }

  release(): void {
    this.#isReleased = true
    this.#objects.release()
    this.#requests.release()
  }

  #resizeObjects(): boolean {
    if (this.#isReleased) return true
    const above = (bytes: number) => Math.max(0, bytes - freeBytes)
    return this.#objects.resize(
      idleBytes + above(this.#incomplete) + above(this.#unsent) + above(this.#subscriptions),
    )
  }
}
