import { BitBuilder, type Cell } from '@ton/core'

/**
 * The bits of a cell as bytes; they may be part of longer bits, so that they begin in the middle of a byte there.
 *
 * @param cell The cell alone, without what it refers to.
 * @returns Bytes, the last of them filled up with zeros.
 */
export function cellBytes({ bits }: Cell): Buffer {
  const builder = new BitBuilder()
  builder.writeBits(bits)
  builder.writeUint(0, (8 - (bits.length % 8)) % 8)
  return builder.buffer()
}
