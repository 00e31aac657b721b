import { getAddressEncoder, isAddress } from '@solana/kit'

const encoder = getAddressEncoder()

/**
 * Converts bytes to a text that can be a set key: two texts are equal if and only if their keys are.
 *
 * @param bytes public key or signature
 */
export function keyText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

/** Converts a base58 public key to the same text as {@link keyText} for its bytes; undefined for an invalid text. */
export function keyTextOfAddress(text: string): string | undefined {
  return isAddress(text) ? keyText(new Uint8Array(encoder.encode(text))) : undefined
}

/** Whether any key of a set passes a test. */
export function someKey(keys: ReadonlySet<string>, test: (key: string) => boolean): boolean {
  for (const key of keys) if (test(key)) return true
  return false
}
