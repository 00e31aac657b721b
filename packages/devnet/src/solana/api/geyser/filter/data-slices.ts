import type { SubscribeRequestAccountsDataSlice } from '@fairlead/grpc/geyser'
import { FilterError } from './filter-error.ts'

/** Takes the wanted parts of the data of an account. */
export interface DataSlices {
  /** The same for the same slices. */
  readonly key: string
  take(data: Uint8Array): Uint8Array
}

/**
 * Reads the parts of account data that a request asks for.
 *
 * @param slices the slices of a request
 * @returns undefined when all data is wanted
 * @throws FilterFault when they are not ordered by offset, or overlap
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
    take: (data) => {
      const size = BigInt(data.byteLength)
      // A slice that reaches past the end is left out whole.
      const parts = slices
        .filter(({ offset, length }) => offset + length <= size)
        .map(({ offset, length }) => data.subarray(Number(offset), Number(offset + length)))
      return Buffer.concat(parts)
    },
  }
}
