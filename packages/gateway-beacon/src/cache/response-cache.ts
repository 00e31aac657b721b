import { LRUCache } from 'lru-cache'
import type { BufferedResponse } from '@fairlead/gateway-core/rest/rest-call'

// Size of an entry in addition to its strings and body, in bytes.
const entryBytes = 512

/** Cached responses by key, up to a total size in bytes. The least recently used response is evicted first. */
export class ResponseCache {
  readonly #maxBytes: number
  readonly #entries: LRUCache<string, BufferedResponse>
  #reservedBytes = 0

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

  get(key: string): BufferedResponse | undefined {
    return this.#entries.get(key)
  }

  /** @param ttlMs - time to live, in milliseconds; unlimited when omitted */
  set(key: string, response: BufferedResponse, ttlMs?: number): void {
    const size = entryBytes + 2 * key.length + JSON.stringify(response.headers).length + response.bytes.length
    this.#entries.set(key, response, { size, ttl: ttlMs ?? 0 })
  }

  /** Reserves memory for a part of a copy. Returns false and reserves nothing when the limit would be exceeded. */
  reserve(bytes: number): boolean {
    if (this.#reservedBytes + bytes > this.#maxBytes) return false
    this.#reservedBytes += bytes
    return true
  }

  release(bytes: number): void {
    this.#reservedBytes -= bytes
  }
}
