import { Cell } from '@ton/core'

/**
 * Writes a cell as a bag of cells in base64, with a checksum as the library of the node writes it.
 *
 * @param cell the root
 * @returns base64 text
 */
export function writeBoc(cell: Cell): string {
  return cell.toBoc({ idx: false, crc32: true }).toString('base64')
}

/**
 * Reads a bag of cells with one root.
 *
 * @param text base64 or base64url text
 * @returns the root, or undefined for a text that is no such bag
 */
export function readBoc(text: string): Cell | undefined {
  try {
    const roots = Cell.fromBoc(Buffer.from(text, 'base64'))
    return roots.length === 1 ? roots[0] : undefined
  } catch {
    return undefined
  }
}
