import { decodeParameter } from './decode-parameter.ts'
import type { JsonObject } from './tl-b.ts'

// A network has about forty parameters, and a gateway may serve several networks.
const mostKnown = 128

const known = new Map<string, JsonObject>()

/**
 * Decodes a parameter as {@link decodeParameter} does, and caches the values of the most recently used cells. A
 * validator set stays the same for hours, and decoding it takes longer than everything else in a call.
 */
export function knownParameter(id: number, boc: string): JsonObject {
  const key = `${id} ${boc}`
  const value = known.get(key) ?? decodeParameter(id, boc)
  known.delete(key)
  known.set(key, value)
  const [oldest] = known.keys()
  if (known.size > mostKnown && oldest !== undefined) known.delete(oldest)
  return value
}
