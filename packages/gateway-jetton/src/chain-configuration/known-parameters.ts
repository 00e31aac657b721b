import { decodeParameter } from './decode-parameter.ts'
import type { JsonObject } from './tl-b.ts'

// Some forty parameters of a network, and more than one network behind a service.
const mostKnown = 128

const known = new Map<string, JsonObject>()

/**
 * Decodes a parameter as {@link decodeParameter} does, and remembers the values of the cells that were asked for last: a
 * set of validators stays the same for hours, and takes longer to decode than all else that a call needs.
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
