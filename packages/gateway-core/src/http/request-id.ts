import { randomUUID } from 'node:crypto'

// What the last three digits count up to.
const perPrefix = 4_096

const endings = Array.from({ length: perPrefix }, (_, at) => at.toString(16).padStart(3, '0'))

let prefix = ''
let next = perPrefix

/**
 * Makes the id of a request: a UUID of version 8, all of it random but its last digits, which count. One that is random
 * throughout takes many times as long.
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
