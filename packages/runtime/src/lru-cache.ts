import { LRUCache } from 'lru-cache'

/** Options of a cache. */
export interface LruCacheOptions<value> {
  /** The least recently used entry above this number is evicted. */
  readonly maxEntries: number
  /** Called with each entry that is evicted, replaced or deleted, before it is removed. */
  readonly dispose?: (value: value, key: string) => void
}

/**
 * Creates a cache that is bounded by its number of entries. Its lists grow with the entries: with the option `max`,
 * lru-cache allocates them for all entries at once, which takes megabytes and milliseconds for each empty cache.
 */
export function createLruCache<value extends object | string | number | boolean>(
  options: LruCacheOptions<value>,
): LRUCache<string, value> {
  const { maxEntries, ...rest } = options
  return new LRUCache<string, value>({ ...rest, maxSize: maxEntries, sizeCalculation: () => 1 })
}
