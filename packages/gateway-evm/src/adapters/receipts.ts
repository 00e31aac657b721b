import { isRecord } from '@fairlead/gateway-core/json'
import { quantity } from './quantity.ts'
import type { Adapter } from './adapter.ts'

/**
 * Normalizes a receipt. Some execution clients return the timestamp as a number, and a blob gas price for transactions
 * without blobs.
 */
export const receipt: Adapter = { transformResult: normalizeReceipt }

/** As {@link receipt}, for a list of receipts. */
export const receipts: Adapter = { transformResult: normalizeReceipts }

/**
 * Converts a receipt to the form of the specification. The order of its members does not change. Null is returned
 * unchanged.
 */
export function normalizeReceipt(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { blobGasPrice: _, ...rest } = value
  const normalized = value['type'] === '0x3' ? value : rest
  const { blockTimestamp } = normalized
  return blockTimestamp === undefined
    ? normalized
    : { ...normalized, blockTimestamp: quantity(blockTimestamp) }
}

/** As {@link normalizeReceipt}, for a list of receipts. */
export function normalizeReceipts(value: unknown): unknown {
  return Array.isArray(value) ? value.map(normalizeReceipt) : value
}
