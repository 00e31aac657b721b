import { decodeParameter } from './decode-parameter.ts'
import type { JsonObject } from './tl-b.ts'

// A network has about forty parameters, and a gateway may serve several networks.
const maxCached = 128

const cache = new Map<string, JsonObject>()

/**
 * Decodes a parameter as {@link decodeParameter} does, and caches the values of the most recently used cells. A
 * validator set stays the same for hours, and decoding it takes longer than everything else in a call.
 */
export function cachedParameter(id: number, boc: string): JsonObject {
  const key = `${id} ${boc}`
  const value = cache.get(key) ?? decodeParameter(id, boc)
  cache.delete(key)
  cache.set(key, value)
  const [oldest] = cache.keys()
  if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest)
  return value
}
