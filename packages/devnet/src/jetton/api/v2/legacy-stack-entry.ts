import type { Cell, TupleItem } from '@ton/core'
import { writeBoc } from '../cells/bag-of-cells.ts'
import { cellBytes } from './cell-bytes.ts'
import {
  malformed,
  readCell,
  readElements,
  readNumber,
  readSlice,
  unsupported,
  writeList,
  writeTuple,
} from './stack-entry.ts'
import { buildList, readList } from './tvm-list.ts'

const maxCells = 10_000

/**
 * Formats a stack entry in the legacy form.
 *
 * @param entry An entry of the result stack of the virtual machine.
 * @returns A pair of a type and a value; a slice is formatted as its cell, and the tree of a very large cell is
 * omitted.
 * @throws {@link Failure} with 533 for an entry that is nested too deeply.
 */
export function writeLegacyStackEntry(entry: TupleItem): [type: string, value: unknown] {
  if (entry.type === 'int') {
    const { value } = entry
    return ['num', value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`]
  }
  if (entry.type === 'cell' || entry.type === 'slice') {
    const { cell } = entry
    const isSmall = countCells(cell) <= maxCells
    return ['cell', { bytes: writeBoc(cell), ...(isSmall && { object: writeCellTree(cell) }) }]
  }
  const list = readList(entry)
  if (list !== undefined) return ['list', writeList(list)]
  if (entry.type === 'tuple') return ['tuple', writeTuple(entry.items)]
  return ['unsupported', '']
}

/**
 * Parses a stack entry in the legacy form.
 *
 * @param input The value from the client: a pair of a type and a value.
 * @returns The entry for the virtual machine.
 * @throws {@link Failure} with 422 for a malformed entry, 400 for bytes that are not a cell, 533 for one that is nested
 * too deeply and 542 for a type that is not allowed.
 */
export function readLegacyStackEntry(input: unknown): TupleItem {
  if (!Array.isArray(input) || input.length !== 2) throw malformed('an entry is no pair')
  const [type, value]: unknown[] = input
  switch (type) {
    case 'num':
    case 'int':
    case 'number':
    case 'integer':
      return { type: 'int', value: readNumber(value) }
    case 'tvm.Cell':
      return { type: 'cell', cell: readCell(value) }
    case 'tvm.Slice':
      return { type: 'slice', cell: readSlice(value) }
    case 'cell':
      return { type: 'cell', cell: readCell(bytesOf(value)) }
    case 'slice':
      return { type: 'slice', cell: readSlice(bytesOf(value)) }
    case 'tuple':
    case 'tvm.Tuple':
      return { type: 'tuple', items: readElements(value) }
    case 'list':
    case 'tvm.List':
      return buildList(readElements(value))
    default:
      if (typeof type !== 'string') throw malformed('the type of an entry is no text')
      throw unsupported(type)
  }
}

function bytesOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'bytes' in value ? value.bytes : undefined
}

// A cell with two references is written twice, so a few cells can produce an exponentially large tree.
function countCells(cell: Cell, known = new Map<Cell, number>()): number {
  const counted = known.get(cell)
  if (counted !== undefined) return counted
  const count = cell.refs.reduce((sum, next) => sum + countCells(next, known), 1)
  known.set(cell, count)
  return count
}

function writeCellTree(cell: Cell): object {
  return {
    data: { b64: cellBytes(cell).toString('base64'), len: cell.bits.length },
    refs: cell.refs.map(writeCellTree),
    special: cell.isExotic,
  }
}
