import { BitBuilder, type Cell } from '@ton/core'

/**
 * Returns the bits of a cell as bytes; the bits may be part of a longer bit string and start in the middle of a byte
 * there.
 *
 * @param cell The cell alone, without its references.
 * @returns Bytes, the last of them padded with zeros.
 */
export function cellBytes({ bits }: Cell): Buffer {
  const builder = new BitBuilder()
  builder.writeBits(bits)
  builder.writeUint(0, (8 - (bits.length % 8)) % 8)
  return builder.buffer()
}
