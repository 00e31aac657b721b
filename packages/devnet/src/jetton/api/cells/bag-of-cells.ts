import { Cell } from '@ton/core'

/**
 * Serializes a cell as a bag of cells in base64, with a checksum like the TON node library.
 *
 * @param cell the root
 * @returns base64 text
 */
export function writeBoc(cell: Cell): string {
  return cell.toBoc({ idx: false, crc32: true }).toString('base64')
}

/**
 * Parses a bag of cells with one root.
 *
 * @param text base64 or base64url text
 * @returns the root, or undefined for an invalid text
 */
export function readBoc(text: string): Cell | undefined {
  try {
    const roots = Cell.fromBoc(Buffer.from(text, 'base64'))
    return roots.length === 1 ? roots[0] : undefined
  } catch {
    return undefined
  }
}
