import { deserialize, serialize } from 'node:v8'

/**
 * Copies a value without functions. Long-lived values must not retain the larger buffers that their buffers are slices
 * of.
 */
export function contiguous<value>(value: value): value {
  return deserialize(serialize(value)) as value
}
