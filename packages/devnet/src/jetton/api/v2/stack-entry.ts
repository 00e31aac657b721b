import type { Cell, TupleItem } from '@ton/core'
import { readBoc, writeBoc } from '../cells/bag-of-cells.ts'
import { Failure } from '../failure.ts'
import { buildList, readList } from './tvm-list.ts'

const deepest = 100

/**
 * Writes an entry of a stack in the typed form.
 *
 * @param entry What the virtual machine left.
 * @param depth How many tuples and lists are around it.
 * @returns One of the `tvm.stackEntry` types of the interface.
 * @throws {@link Failure} with 533 for an entry that is nested too deep.
 */
export function writeStackEntry(entry: TupleItem, depth = 0): object {
  if (depth >= deepest) throw tooDeep('result')
  if (entry.type === 'int') {
    return {
      '@type': 'tvm.stackEntryNumber',
      number: { '@type': 'tvm.numberDecimal', number: `${entry.value}` },
    }
  }
  if (entry.type === 'cell') {
    return { '@type': 'tvm.stackEntryCell', cell: { '@type': 'tvm.cell', bytes: writeBoc(entry.cell) } }
  }
  if (entry.type === 'slice') {
    return { '@type': 'tvm.stackEntrySlice', slice: { '@type': 'tvm.slice', bytes: writeBoc(entry.cell) } }
  }
  const list = readList(entry)
  if (list !== undefined) return { '@type': 'tvm.stackEntryList', list: writeList(list, depth) }
  if (entry.type === 'tuple') return { '@type': 'tvm.stackEntryTuple', tuple: writeTuple(entry.items, depth) }
  return { '@type': 'tvm.stackEntryUnsupported' }
}

/** Writes the items of a list; see {@link writeStackEntry}. */
export function writeList(items: readonly TupleItem[], depth = 0): object {
  return { '@type': 'tvm.list', elements: items.map((item) => writeStackEntry(item, depth + 1)) }
}

/** Writes the items of a tuple; see {@link writeStackEntry}. */
export function writeTuple(items: readonly TupleItem[], depth = 0): object {
  return { '@type': 'tvm.tuple', elements: items.map((item) => writeStackEntry(item, depth + 1)) }
}

/**
 * Reads an entry of a stack in the typed form.
 *
 * @param given What the client sent.
 * @param depth How many tuples and lists are around it.
 * @returns The entry for the virtual machine.
 * @throws {@link Failure} with 422 for a malformed entry, 400 for bytes that are no cell, 533 for one nested too deep
 *   and 542 for a type that cannot be sent.
 */
export function readStackEntry(given: unknown, depth = 0): TupleItem {
  if (depth >= deepest) throw tooDeep('given')
  const entry = asObject(given)
  switch (entry['@type']) {
    case 'tvm.stackEntryNumber':
      return { type: 'int', value: readNumber(asObject(entry.number).number) }
    case 'tvm.stackEntryCell':
      return { type: 'cell', cell: readCell(asObject(entry.cell).bytes) }
    case 'tvm.stackEntrySlice':
      return { type: 'slice', cell: readSlice(asObject(entry.slice).bytes) }
    case 'tvm.stackEntryTuple':
      return { type: 'tuple', items: readElements(entry.tuple, depth) }
    case 'tvm.stackEntryList':
      return buildList(readElements(entry.list, depth))
    case 'tvm.stackEntryUnsupported':
      throw unsupported('tvm.stackEntryUnsupported')
    default:
      throw malformed('an entry has no known @type')
  }
}

/** Reads the `elements` of a tuple or a list; see {@link readStackEntry}. */
export function readElements(given: unknown, depth = 0): TupleItem[] {
  const { elements } = asObject(given)
  if (!Array.isArray(elements)) throw malformed('elements is no list')
  return elements.map((element) => readStackEntry(element, depth + 1))
}

/**
 * Reads a number of the virtual machine.
 *
 * @param given A JSON integer, or a text: decimal, or hex after `0x`.
 * @throws {@link Failure} with 422 for anything else, and for more than 257 bits.
 */
export function readNumber(given: unknown): bigint {
  const written = typeof given === 'number' ? `${given}` : given
  const parts = typeof written === 'string' ? /^(-?)(\d{1,78}|0x[0-9a-f]{1,64})$/i.exec(written) : null
  if (parts === null) throw malformed('a number is no integer')
  const value = BigInt(`${parts[2]}`) * (parts[1] === '-' ? -1n : 1n)
  if (BigInt.asIntN(257, value) !== value) throw malformed('a number has more than 257 bits')
  return value
}

/**
 * Reads a cell of a stack.
 *
 * @param given A bag of cells in base64.
 * @throws {@link Failure} with 422 for anything but a text, 400 for a text that is no bag of cells.
 */
export function readCell(given: unknown): Cell {
  if (typeof given !== 'string' || given === '') throw malformed('a cell is no base64 text')
  const cell = readBoc(given)
  if (cell === undefined) throw new Failure(400, 'failed to parse stack: the bytes are no bag of cells')
  return cell
}

/**
 * Reads a slice of a stack: the whole of an ordinary cell.
 *
 * @param given A bag of cells in base64.
 * @throws {@link Failure} as {@link readCell} does, and with 400 for a cell that only the engine itself may open.
 */
export function readSlice(given: unknown): Cell {
  const cell = readCell(given)
  if (cell.isExotic) throw new Failure(400, 'failed to parse stack: a slice of an exotic cell')
  return cell
}

/** A stack that is not written as the interface says. */
export function malformed(fault: string): Failure {
  return new Failure(422, `failed to parse stack: ${fault}`)
}

/** A kind of entry that cannot be sent. */
export function unsupported(type: string): Failure {
  return new Failure(542, `Unsupported stack entry type: ${type}`)
}

function tooDeep(which: string): Failure {
  return new Failure(533, `${which} stack depth >= ${deepest}`)
}

/** What an object of a stack may hold; which of it is there tells its type. */
interface GivenObject {
  readonly '@type'?: unknown
  readonly number?: unknown
  readonly cell?: unknown
  readonly slice?: unknown
  readonly tuple?: unknown
  readonly list?: unknown
  readonly bytes?: unknown
  readonly elements?: unknown
}

function asObject(given: unknown): GivenObject {
  if (typeof given !== 'object' || given === null) throw malformed('an entry is no object')
  return given
}
