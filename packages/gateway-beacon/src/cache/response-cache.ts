import { LRUCache } from 'lru-cache'
import type { BufferedResponse } from '@fairlead/gateway-core/rest/rest-call'

// What an entry takes beside its texts and bytes.
const entryBytes = 512

/** Answers by key, at most so many bytes of them: the one that was used least recently goes first. */
export class ResponseCache {
  readonly #maxBytes: number
  readonly #entries: LRUCache<string, BufferedResponse>
  #copied = 0

  /** @param maxBytes - for all answers, and once more for the copies of those that are still under way */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    // No entry is as small as 1 byte: with 0 bytes nothing is kept.
    this.#entries = new LRUCache({ maxSize: Math.max(1, maxBytes), ttlResolution: 0 })
  }

  /** Bytes that the answers take. */
  get bytes(): number {
    return this.#entries.calculatedSize
  }

  find(key: string): BufferedResponse | undefined {
    return this.#entries.get(key)
  }

  /** @param lifeMs - how long the answer may be given; for ever when it is left out */
  keep(key: string, answer: BufferedResponse, lifeMs?: number): void {
    const size = entryBytes + 2 * key.length + JSON.stringify(answer.headers).length + answer.bytes.length
    this.#entries.set(key, answer, { size, ttl: lifeMs ?? 0 })
  }

  /** Takes room for a part of a copy; without room it takes nothing and returns false. */
  takeRoom(bytes: number): boolean {
    if (this.#copied + bytes > this.#maxBytes) return false
    this.#copied += bytes
    return true
  }

  giveRoomBack(bytes: number): void {
    this.#copied -= bytes
  }
}
