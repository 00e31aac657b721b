import { LRUCache } from 'lru-cache'
import type { BufferedResponse } from '@fairlead/gateway-core/rest/rest-call'

// Size of an entry in addition to its strings and body, in bytes.
const entryBytes = 512

/** Cached responses by key, up to a total size in bytes. The least recently used response is evicted first. */
export class ResponseCache {
  readonly #maxBytes: number
  readonly #entries: LRUCache<string, BufferedResponse>
  #copied = 0

  /** @param maxBytes - limit for all cached responses, and once more for the copies of responses in transfer */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    // No entry is as small as 1 byte, so a limit of 0 bytes caches nothing.
    this.#entries = new LRUCache({ maxSize: Math.max(1, maxBytes), ttlResolution: 0 })
  }

  /** Total size of the cached responses, in bytes. */
  get bytes(): number {
    return this.#entries.calculatedSize
  }

  find(key: string): BufferedResponse | undefined {
    return this.#entries.get(key)
  }

  /** @param lifeMs - time to live, in milliseconds; unlimited when omitted */
  keep(key: string, answer: BufferedResponse, lifeMs?: number): void {
    const size = entryBytes + 2 * key.length + JSON.stringify(answer.headers).length + answer.bytes.length
    this.#entries.set(key, answer, { size, ttl: lifeMs ?? 0 })
  }

  /** Reserves memory for a part of a copy. Returns false and reserves nothing when the limit would be exceeded. */
  takeRoom(bytes: number): boolean {
    if (this.#copied + bytes > this.#maxBytes) return false
    this.#copied += bytes
    return true
  }

  giveRoomBack(bytes: number): void {
    this.#copied -= bytes
  }
}
