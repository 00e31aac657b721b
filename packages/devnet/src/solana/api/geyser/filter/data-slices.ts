import type { SubscribeRequestAccountsDataSlice } from '@fairlead/grpc/geyser'
import { FilterError } from './filter-error.ts'

/** Extracts the requested parts of account data. */
export interface DataSlices {
  /** Equal for the same slices. */
  readonly key: string
  slice(data: Uint8Array): Uint8Array
}

/**
 * Parses the requested slices of account data.
 *
 * @param slices the slices of a request
 * @returns undefined when all data is wanted
 * @throws FilterError when they are not ordered by offset, or overlap
 */
export function readDataSlices(slices: readonly SubscribeRequestAccountsDataSlice[]): DataSlices | undefined {
  if (slices.length === 0) return undefined
  for (const [index, slice] of slices.entries()) {
    const before = slices[index - 1]
    if (before === undefined) continue
    const field = `accounts_data_slice[${index}]`
    if (slice.offset < before.offset) throw new FilterError(`${field} must be ordered by offset`)
    if (slice.offset < before.offset + before.length)
      throw new FilterError(`${field} must not overlap with the slice before`)
  }
  return {
    key: slices.map(({ offset, length }) => `${offset}+${length}`).join(),
    slice: (data) => {
      const size = BigInt(data.byteLength)
      // A slice that reaches past the end is omitted completely.
      const parts = slices
        .filter(({ offset, length }) => offset + length <= size)
        .map(({ offset, length }) => data.subarray(Number(offset), Number(offset + length)))
      return Buffer.concat(parts)
    },
  }
}
