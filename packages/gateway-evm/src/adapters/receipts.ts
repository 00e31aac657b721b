import { isRecord } from '@fairlead/gateway-core/json'
import { quantity } from './quantity.ts'
import type { Adapter } from './adapter.ts'

/** Receipts of some clients give the time as a number, and a price of blobs to transactions that have none. */
export const receipt: Adapter = { mend: mendReceipt }

/** As {@link receipt}, for a list of them. */
export const receipts: Adapter = { mend: mendReceipts }

/** Puts a receipt into the form of the specification, its members in the order of the node; null stays null. */
export function mendReceipt(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { blobGasPrice: _, ...others } = value
  const mended = value['type'] === '0x3' ? value : others
  const { blockTimestamp } = mended
  return blockTimestamp === undefined ? mended : { ...mended, blockTimestamp: quantity(blockTimestamp) }
}

/** As {@link mendReceipt}, for a list of them. */
export function mendReceipts(value: unknown): unknown {
  return Array.isArray(value) ? value.map(mendReceipt) : value
}
