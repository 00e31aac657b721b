import { randomBytes } from 'node:crypto'

// Crockford's base 32: no I, L, O and U, so that an id can be read aloud without errors.
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Creates a request id in the ULID form: 48 bits of time, so that ids sort by it, and 80 random bits. */
export function newRequestId(now: number = Date.now()): string {
  let value = (BigInt(now) << 80n) | BigInt(`0x${randomBytes(10).toString('hex')}`)
  let text = ''
  for (let position = 0; position < 26; position++) {
    text = digits.charAt(Number(value & 31n)) + text
    value >>= 5n
  }
  return text
}
