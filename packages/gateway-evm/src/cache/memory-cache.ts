import { performance } from 'node:perf_hooks'
import { LRUCache } from 'lru-cache'

/** Maximum size of a cached response, and of a response that is buffered to be shared, in bytes. */
export const maxCachedBytes = 1_048_576

// Estimated overhead of an entry in addition to its texts, in bytes.
const entryBytes = 200

interface CacheEntry {
  readonly result: string
  /** Expiry time in milliseconds of `performance.now()`. Without it, the entry does not expire. */
  readonly until?: number | undefined
  /** Mark of the chain head for which the entry is valid. */
  readonly head?: string | undefined
}

/** Validity of a cached response. */
export type CacheValidity = Omit<CacheEntry, 'result'>

/** In-memory cache for the responses of all nodes. Each entry is the JSON text of a result. */
export class MemoryCache {
  readonly #entries: LRUCache<string, CacheEntry> | undefined
  #stored = 0
  #dropped = 0

  /** @param maxBytes - total size of all entries; 0 disables the cache */
  constructor(maxBytes: number) {
    if (maxBytes === 0) return
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      dispose: (_, __, reason) => {
        if (reason === 'evict') this.#dropped += 1
      },
    })
  }

  get isEnabled(): boolean {
    return this.#entries !== undefined
  }

  /** Returns a cached response that is still valid. */
  get(key: string, head: string | undefined): string | undefined {
    const entry = this.#entries?.get(key)
    if (!entry) return undefined
    const isExpired = entry.until !== undefined && entry.until <= performance.now()
    if (!isExpired && (entry.head === undefined || entry.head === head)) return entry.result
    this.#dropped += 1
    this.#entries?.delete(key)
    return undefined
  }

  /** Caches a response, unless it is too large. */
  set(key: string, result: string, until: CacheValidity): void {
    const size = key.length + bytesOf(result) + entryBytes
    if (size > maxCachedBytes || !this.#entries) return
    this.#stored += 1
    this.#entries.set(key, { result, ...until }, { size })
  }

  states(): {
    readonly stored: number
    readonly dropped: number
    readonly entries: number
    readonly bytes: number
  } {
    return {
      stored: this.#stored,
      dropped: this.#dropped,
      entries: this.#entries?.size ?? 0,
      bytes: this.#entries?.calculatedSize ?? 0,
    }
  }
}

// V8 stores one byte per character for a string with only these characters.
function bytesOf(text: string): number {
  return /[^\0-\xff]/.test(text) ? 2 * text.length : text.length
}
