import { expect, it } from 'vitest'
import { normalizeReceipt } from './receipts.ts'

it.each([
  [
    'a blob transaction, as geth writes it',
    { blobGasPrice: '0x1', blobGasUsed: '0x20000', status: '0x1', type: '0x3' },
    { blobGasPrice: '0x1', blobGasUsed: '0x20000', status: '0x1', type: '0x3' },
  ],
  [
    'a transaction without blobs, as anvil writes it',
    { blobGasPrice: '0x1', blockTimestamp: 31, status: '0x1', type: '0x2' },
    { blockTimestamp: '0x1f', status: '0x1', type: '0x2' },
  ],
])('preserves the order of fields in the receipt of %s', (_, given, normalized) => {
  expect(JSON.stringify(normalizeReceipt(given))).toBe(JSON.stringify(normalized))
})
