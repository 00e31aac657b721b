import { Failure } from '../../failure.ts'

/** A stack entry in the typed form of the v2 API. */
export type TypedEntry =
  | { readonly '@type': 'tvm.stackEntryNumber'; readonly number: { readonly number: string } }
  | { readonly '@type': 'tvm.stackEntryCell'; readonly cell: { readonly bytes: string } }
  | { readonly '@type': 'tvm.stackEntrySlice'; readonly slice: { readonly bytes: string } }
  | { readonly '@type': 'tvm.stackEntryTuple'; readonly tuple: { readonly elements: readonly TypedEntry[] } }
  | { readonly '@type': 'tvm.stackEntryList'; readonly list: { readonly elements: readonly TypedEntry[] } }
  | { readonly '@type': 'tvm.stackEntryUnsupported' }

/**
 * Parses the stack of a request.
 *
 * @param input list of entries of the types `num`, `cell` and `slice`
 * @returns the stack in the format of the v2 API
 * @throws Failure with 422 for an invalid stack, 500 for another type of entry
 */
export function readStack(input: unknown): readonly object[] {
  if (!Array.isArray(input)) throw new Failure(422, 'stack must be a list')
  return input.map((entry: unknown) => {
    const { type, value } = (entry ?? {}) as { type?: unknown; value?: unknown }
    switch (type) {
      case 'num':
        return { '@type': 'tvm.stackEntryNumber', number: { number: value } }
      case 'cell':
        return { '@type': 'tvm.stackEntryCell', cell: { bytes: value } }
      case 'slice':
        return { '@type': 'tvm.stackEntrySlice', slice: { bytes: value } }
      default:
        throw new Failure(500, 'stack takes entries of the types num, cell and slice')
    }
  })
}

/** Formats the result stack of a get method. */
export function writeStack(entries: readonly TypedEntry[]): readonly object[] {
  return entries.map(writeEntry)
}

function writeEntry(entry: TypedEntry): object {
  if ('number' in entry) return { type: 'num', value: hexOf(BigInt(entry.number.number)) }
  if ('cell' in entry) return { type: 'cell', value: entry.cell.bytes }
  if ('slice' in entry) return { type: 'slice', value: entry.slice.bytes }
  if ('tuple' in entry) return { type: 'tuple', value: writeStack(entry.tuple.elements) }
  if ('list' in entry) return { type: 'list', value: writeStack(entry.list.elements) }
  return { type: 'unsupported', value: null }
}

function hexOf(value: bigint): string {
  return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`
}
