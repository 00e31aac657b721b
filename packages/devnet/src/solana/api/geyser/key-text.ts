import { getAddressEncoder, isAddress } from '@solana/kit'

const encoder = getAddressEncoder()

/**
 * Turns bytes into a text that can be a key of a set: two keys are equal when their texts are.
 *
 * @param bytes public key or signature
 */
export function keyText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

/** Turns a public key in base58 into the same text as {@link keyText} does its bytes; undefined when it is none. */
export function keyTextOfAddress(text: string): string | undefined {
  return isAddress(text) ? keyText(new Uint8Array(encoder.encode(text))) : undefined
}

/** Tells whether any key of a set passes a test. */
export function someKey(keys: ReadonlySet<string>, test: (key: string) => boolean): boolean {
  for (const key of keys) if (test(key)) return true
  return false
}
