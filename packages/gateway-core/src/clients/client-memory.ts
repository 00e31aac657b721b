import type { Owner, Tenant } from '@fairlead/runtime'

/** Reserves memory for clients. */
export interface MemorySource {
  /** Creates an empty reservation; `pending` is for bytes that wait to be read or sent. */
  reserve(owner: Owner, kind: 'objects' | 'pending'): MemoryReservation
}

/** A reservation of memory for one owner. */
export interface MemoryReservation {
  /** @returns undefined when the bytes are reserved */
  tryTake(bytes: number): object | undefined
  /** @returns false when the owner may not hold so much; the reservation is unchanged */
  resize(bytes: number): boolean
  /** @returns false when that owner may not hold so much; the reservation is unchanged */
  moveTo(owner: Owner): boolean
  release(): void
}

const memoryKey = Symbol('client memory')

interface Holder {
  [memoryKey]?: ClientMemory
}

/** The origin of a request, for its memory. */
export interface MemoryHolder {
  /** The connection of the request. */
  readonly socket: object
  /** The HTTP/2 stream of the request. */
  readonly stream?: object | undefined
}

/**
 * The memory that one connection of a client holds, or one HTTP/2 stream. It belongs to the address of the client until
 * a request is authenticated, then to the tenant of its credential.
 */
export class ClientMemory {
  /** Called when the first request is authenticated. */
  onAuthenticated: (() => void) | undefined
  readonly #objects: MemoryReservation
  readonly #pending: MemoryReservation
  readonly #connection: ClientMemory | undefined
  readonly #isShared: boolean
  readonly #isMinimum: boolean
  #tenant: Tenant | undefined
  #unreadBytes = 0

  /**
   * @param owner - the address of the client; undefined for a trusted proxy, whose connections have many clients
   * @param isMinimum - whether the gateway itself provides the memory when that for unauthenticated clients is used up,
   * so that clients with a credential can still connect
   * @param connection - connection of a stream
   */
  constructor(source: MemorySource, owner: Owner, isMinimum: boolean, connection?: ClientMemory) {
    this.#objects = source.reserve(owner, 'objects')
    this.#pending = source.reserve(owner, 'pending')
    this.#isShared = owner === undefined
    this.#isMinimum = isMinimum
    this.#connection = connection
  }

  /** Whether a request was authenticated. */
  isAuthenticated(): boolean {
    return this.#tenant !== undefined
  }

  /** Reserves memory for objects until the end; false when the owner may not hold so much. */
  take(bytes: number): boolean {
    return this.#retried(() => this.#objects.tryTake(bytes) === undefined)
  }

  /** Reserves memory for the part of a request body that may arrive before its client is authenticated. */
  holdUnread(bytes: number): boolean {
    this.#unreadBytes = bytes
    return this.#retried(() => this.hold(0))
  }

  /** Reserves memory for the bytes that wait for the client; false when the owner may not hold so much. */
  hold(unsentBytes: number): boolean {
    const bytes = this.#unreadBytes + unsentBytes
    if (bytes > 0) return this.#pending.resize(bytes)
    this.#pending.release()
    return true
  }

  /** Transfers the memory to the tenant of a request. */
  authenticate(tenant: Tenant): void {
    if (this.#tenant === tenant) return
    const isFirst = this.#tenant === undefined
    this.#tenant = tenant
    // From now on, the reader of the body counts it.
    this.#unreadBytes = 0
    if (!this.#isShared) {
      this.#objects.moveTo(tenant)
      this.#pending.moveTo(tenant)
    }
    this.#connection?.authenticate(tenant)
    if (isFirst) this.onAuthenticated?.()
  }

  release(): void {
    this.#objects.release()
    this.#pending.release()
  }

  #retried(reserve: () => boolean): boolean {
    if (reserve()) return true
    if (!this.#isMinimum || this.isAuthenticated()) return false
    return this.#objects.moveTo(undefined) && this.#pending.moveTo(undefined) && reserve()
  }
}

/** Stores the memory of a connection or an HTTP/2 stream with its socket or stream. */
export function attachMemory(holder: object, memory: ClientMemory): void {
  ;(holder as Holder)[memoryKey] = memory
}

/** Returns the memory of an HTTP/2 stream, or of the connection of a request. */
export function memoryOf({ socket, stream }: MemoryHolder): ClientMemory | undefined {
  const holder: Holder | undefined = stream
  const connection: Holder = socket
  return holder?.[memoryKey] ?? connection[memoryKey]
}
