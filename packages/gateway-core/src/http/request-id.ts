import { randomUUID } from 'node:crypto'

// Number of values of the last three hex digits.
const perPrefix = 4_096

const endings = Array.from({ length: perPrefix }, (_, at) => at.toString(16).padStart(3, '0'))

let prefix = ''
let next = perPrefix

/**
 * Generates a request id: a UUID of version 8. It is random except for its last digits, which are a counter. A
 * completely random id takes many times as long to generate.
 *
 * @see RFC 9562, section 5.8
 */
export function makeRequestId(): string {
  if (next === perPrefix) {
    const random = randomUUID()
    prefix = `${random.slice(0, 14)}8${random.slice(15, -3)}`
    next = 0
  }
  const id = prefix + (endings[next] as string)
  next += 1
  return id
}
