const hex = /^[0-9a-f]{64}$/i
const base64 = /^[\w+/-]{43}=?$/

/**
 * Parses a hash of 32 bytes, written as 64 hex digits or in base64 or base64url, with or without padding.
 *
 * @param text the hash
 * @returns its bytes, or undefined for an invalid text
 */
export function readHash(text: string): Buffer | undefined {
  if (hex.test(text)) return Buffer.from(text, 'hex')
  // The base64 decoder of Node.js accepts both alphabets.
  return base64.test(text) ? Buffer.from(text, 'base64') : undefined
}

/**
 * Formats a hash in base64.
 *
 * @param hash its 32 bytes, or the same bytes as a number
 * @returns 44 characters
 */
export function writeHash(hash: Buffer | bigint): string {
  const bytes = typeof hash === 'bigint' ? Buffer.from(hash.toString(16).padStart(64, '0'), 'hex') : hash
  return bytes.toString('base64')
}
