import { isRecord } from '@fairlead/gateway-core/json'
import { quantity } from './quantity.ts'
import type { Adapter } from './adapter.ts'

/**
 * Normalizes a receipt. Some execution clients return the timestamp as a number, and a blob gas price for transactions
 * without blobs.
 */
export const receipt: Adapter = { mend: mendReceipt }

/** As {@link receipt}, for a list of receipts. */
export const receipts: Adapter = { mend: mendReceipts }

/**
 * Converts a receipt to the form of the specification. The order of its members does not change. Null is returned
 * unchanged.
 */
export function mendReceipt(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { blobGasPrice: _, ...others } = value
  const mended = value['type'] === '0x3' ? value : others
  const { blockTimestamp } = mended
  return blockTimestamp === undefined ? mended : { ...mended, blockTimestamp: quantity(blockTimestamp) }
}

/** As {@link mendReceipt}, for a list of receipts. */
export function mendReceipts(value: unknown): unknown {
  return Array.isArray(value) ? value.map(mendReceipt) : value
}
