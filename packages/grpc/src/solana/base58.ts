import { base58 } from '@scure/base'
import { FairleadError } from '@fairlead/core'

/**
 * Encodes bytes in base58, the encoding of Solana for addresses, blockhashes and signatures.
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
  return base58.encode(bytes)
}

/**
 * Decodes bytes from base58.
 *
 * @param text - an address, a blockhash, a signature or any other bytes in base58
 * @returns the bytes
 * @throws FairleadError `DECODE_INVALID` when a character is not in the base58 alphabet
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

/** Decodes base58; undefined when a character is not in the alphabet. */
export function bytesOfBase58(text: string): Uint8Array | undefined {
  try {
    return base58.decode(text)
  } catch {
    return undefined
  }
}
