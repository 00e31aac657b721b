import { RpcFailure, rpcCodes } from '../json-rpc/rpc-failure.ts'

// Answers that are only passed on are not held at all. A trace of a long execution can be of any size.
const maxBytesOfRequest = 64 * 1024 * 1024

/** The memory for all answers that have to be held whole, so that no number of clients can use up more. */
export class AnswerMemory {
  #left: number

  /** @param bytes - for the answers of all requests together */
  constructor(bytes: number) {
    this.#left = bytes
  }

  /** The part of one request; it takes nothing yet. */
  room(): Room {
    return new Room(this)
  }

  offers(bytes: number): boolean {
    return bytes <= this.#left
  }

  take(bytes: number): boolean {
    if (!this.offers(bytes)) return false
    this.#left -= bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#left += bytes
  }
}

/** What the answers of one request take of the memory. Whoever made it empties it when they have left. */
export class Room {
  readonly #memory: AnswerMemory
  #taken = 0

  constructor(memory: AnswerMemory) {
    this.#memory = memory
  }

  /** @throws {@link RpcFailure} -32005 when the request, or the service, would hold too much */
  take(bytes: number): void {
    const failure = this.refuses(bytes)
    if (failure) throw failure
  }

  /** As {@link take}, but gives the failure instead of throwing it. */
  refuses(bytes: number): RpcFailure | undefined {
    if (this.#taken + bytes > maxBytesOfRequest) {
      return new RpcFailure(rpcCodes.limitExceeded, 'The answer is too large.')
    }
    if (!this.#memory.take(bytes)) {
      return new RpcFailure(rpcCodes.limitExceeded, 'The service holds too many answers at the moment.', {
        status: 503,
      })
    }
    this.#taken += bytes
    return undefined
  }

  /** Whether there is memory for something that need not be held. */
  offers(bytes: number): boolean {
    return this.#memory.offers(bytes)
  }

  giveBack(bytes: number): void {
    this.#taken -= bytes
    this.#memory.giveBack(bytes)
  }

  empty(): void {
    this.giveBack(this.#taken)
  }
}
