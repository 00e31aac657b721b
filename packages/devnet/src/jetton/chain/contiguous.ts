import { deserialize, serialize } from 'node:v8'

/**
 * Copies a value without functions. What is kept for long shall not hold the larger pieces of memory that its buffers
 * were cut from.
 */
export function contiguous<value>(value: value): value {
  return deserialize(serialize(value)) as value
}
