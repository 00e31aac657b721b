import { performance } from 'node:perf_hooks'
import { LRUCache } from 'lru-cache'

/** Longest answer that is kept, and longest one that is read whole to be shared, in bytes. */
export const maxKeptBytes = 1_048_576

// What an entry takes beside its texts.
const entryBytes = 200

interface Kept {
  readonly result: string
  /** In milliseconds of `performance.now()`; without it, it stays true. */
  readonly until?: number | undefined
  /** Hash of the head that it is true for. */
  readonly head?: string | undefined
}

/** What is left to say of a kept answer beside its text. */
export type KeptUntil = Omit<Kept, 'result'>

/** The answers of all nodes that are kept in memory, each as the JSON text of its result. */
export class MemoryCache {
  readonly #entries: LRUCache<string, Kept> | undefined
  #stored = 0
  #dropped = 0

  /** @param maxBytes - for all of them together; 0 keeps none */
  constructor(maxBytes: number) {
    if (maxBytes === 0) return
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      dispose: (_, __, reason) => {
        if (reason === 'evict') this.#dropped += 1
      },
    })
  }

  get isOn(): boolean {
    return this.#entries !== undefined
  }

  /** Finds an answer that is still true. */
  get(key: string, head: string | undefined): string | undefined {
    const kept = this.#entries?.get(key)
    if (!kept) return undefined
    const isOver = kept.until !== undefined && kept.until <= performance.now()
    if (!isOver && (kept.head === undefined || kept.head === head)) return kept.result
    this.#dropped += 1
    this.#entries?.delete(key)
    return undefined
  }

  /** Keeps an answer, unless it is long. */
  set(key: string, result: string, until: KeptUntil): void {
    const size = key.length + bytesOf(result) + entryBytes
    if (size > maxKeptBytes || !this.#entries) return
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

// The engine takes one byte for each character of a text without others than these.
function bytesOf(text: string): number {
  return /[^\0-\xff]/.test(text) ? 2 * text.length : text.length
}
