import { FairleadError } from '@fairlead/core'

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const digitOf = new Map(Array.from(alphabet, (letter, digit) => [letter, digit]))

/**
 * Writes bytes in base58, the way Solana writes addresses, blockhashes and signatures.
 *
 * @param bytes - for example the 32 bytes of an address or the 64 of a signature
 * @returns the text; a leading zero byte becomes a leading `1`
 * @example
 * ```ts
 * encodeBase58(new Uint8Array(32)) // '11111111111111111111111111111111'
 * ```
 * @see https://datatracker.ietf.org/doc/html/draft-msporny-base58-03
 */
export function encodeBase58(bytes: Uint8Array): string {
  // Digits from the lowest to the highest.
  const digits: number[] = []
  let zeros = 0
  while (bytes[zeros] === 0) zeros++
  for (const byte of bytes.subarray(zeros)) {
    let carry = byte
    for (let place = 0; place < digits.length; place++) {
      carry += (digits[place] ?? 0) * 256
      digits[place] = carry % 58
      carry = (carry / 58) | 0
    }
    for (; carry > 0; carry = (carry / 58) | 0) digits.push(carry % 58)
  }
  let text = '1'.repeat(zeros)
  for (let place = digits.length - 1; place >= 0; place--) text += alphabet[digits[place] ?? 0]
  return text
}

/**
 * Reads bytes from base58.
 *
 * @param text - an address, a blockhash, a signature or any other bytes in base58
 * @returns the bytes
 * @throws FairleadError `DECODE_INVALID` when a letter is not one of base58
 * @example
 * ```ts
 * decodeBase58('So11111111111111111111111111111111111111112').length // 32
 * ```
 * @see https://datatracker.ietf.org/doc/html/draft-msporny-base58-03
 */
export function decodeBase58(text: string): Uint8Array {
  const bytes = bytesOfBase58(text)
  if (bytes) return bytes
  throw new FairleadError('DECODE_INVALID', {
    operation: 'decodeBase58',
    path: 'text',
    rule: 'must hold letters of base58 only',
  })
}

/** Reads base58; undefined where a letter does not belong to it. */
export function bytesOfBase58(text: string): Uint8Array | undefined {
  const bytes: number[] = []
  let zeros = 0
  while (text[zeros] === '1') zeros++
  for (const letter of text.slice(zeros)) {
    let carry = digitOf.get(letter)
    if (carry === undefined) return undefined
    for (let place = 0; place < bytes.length; place++) {
      carry += (bytes[place] ?? 0) * 58
      bytes[place] = carry & 0xff
      carry >>= 8
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff)
  }
  const whole = new Uint8Array(zeros + bytes.length)
  whole.set(bytes.toReversed(), zeros)
  return whole
}
