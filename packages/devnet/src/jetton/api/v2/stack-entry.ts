import type { Cell, TupleItem } from '@ton/core'
import { readBoc, writeBoc } from '../cells/bag-of-cells.ts'
import { Failure } from '../failure.ts'
import { buildList, readList } from './tvm-list.ts'

const deepest = 100

/**
 * Formats a stack entry in the typed form.
 *
 * @param entry An entry of the result stack of the virtual machine.
 * @param depth Number of tuples and lists that contain it.
 * @returns One of the `tvm.stackEntry` types of the API.
 * @throws {@link Failure} with 533 for an entry that is nested too deeply.
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

/** Formats the items of a list; see {@link writeStackEntry}. */
export function writeList(items: readonly TupleItem[], depth = 0): object {
  return { '@type': 'tvm.list', elements: items.map((item) => writeStackEntry(item, depth + 1)) }
}

/** Formats the items of a tuple; see {@link writeStackEntry}. */
export function writeTuple(items: readonly TupleItem[], depth = 0): object {
  return { '@type': 'tvm.tuple', elements: items.map((item) => writeStackEntry(item, depth + 1)) }
}

/**
 * Parses a stack entry in the typed form.
 *
 * @param input The value from the client.
 * @param depth Number of tuples and lists that contain it.
 * @returns The entry for the virtual machine.
 * @throws {@link Failure} with 422 for a malformed entry, 400 for bytes that are not a cell, 533 for one that is nested
 * too deeply and 542 for a type that is not allowed.
 */
export function readStackEntry(input: unknown, depth = 0): TupleItem {
  if (depth >= deepest) throw tooDeep('given')
  const entry = asObject(input)
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

/** Parses the `elements` of a tuple or a list; see {@link readStackEntry}. */
export function readElements(input: unknown, depth = 0): TupleItem[] {
  const { elements } = asObject(input)
  if (!Array.isArray(elements)) throw malformed('elements is no list')
  return elements.map((element) => readStackEntry(element, depth + 1))
}

/**
 * Parses a number for the virtual machine.
 *
 * @param input A JSON integer, or a text: decimal, or hex after `0x`.
 * @throws {@link Failure} with 422 for anything else, and for more than 257 bits.
 */
export function readNumber(input: unknown): bigint {
  const written = typeof input === 'number' ? `${input}` : input
  const parts = typeof written === 'string' ? /^(-?)(\d{1,78}|0x[0-9a-f]{1,64})$/i.exec(written) : null
  if (parts === null) throw malformed('a number is no integer')
  const value = BigInt(`${parts[2]}`) * (parts[1] === '-' ? -1n : 1n)
  if (BigInt.asIntN(257, value) !== value) throw malformed('a number has more than 257 bits')
  return value
}

/**
 * Parses a cell of a stack.
 *
 * @param input A bag of cells in base64.
 * @throws {@link Failure} with 422 for anything except a text, 400 for a text that is not a bag of cells.
 */
export function readCell(input: unknown): Cell {
  if (typeof input !== 'string' || input === '') throw malformed('a cell is no base64 text')
  const cell = readBoc(input)
  if (cell === undefined) throw new Failure(400, 'failed to parse stack: the bytes are no bag of cells')
  return cell
}

/**
 * Parses a slice of a stack: the whole content of an ordinary cell.
 *
 * @param input A bag of cells in base64.
 * @throws {@link Failure} like {@link readCell}, and with 400 for an exotic cell.
 */
export function readSlice(input: unknown): Cell {
  const cell = readCell(input)
  if (cell.isExotic) throw new Failure(400, 'failed to parse stack: a slice of an exotic cell')
  return cell
}

/** Creates the error for a stack that does not have the format of the API. */
export function malformed(fault: string): Failure {
  return new Failure(422, `failed to parse stack: ${fault}`)
}

/** Creates the error for an entry type that is not allowed. */
export function unsupported(type: string): Failure {
  return new Failure(542, `Unsupported stack entry type: ${type}`)
}

function tooDeep(kind: string): Failure {
  return new Failure(533, `${kind} stack depth >= ${deepest}`)
}

/** The fields of a stack object; the present fields determine its type. */
interface InputObject {
  readonly '@type'?: unknown
  readonly number?: unknown
  readonly cell?: unknown
  readonly slice?: unknown
  readonly tuple?: unknown
  readonly list?: unknown
  readonly bytes?: unknown
  readonly elements?: unknown
}

function asObject(input: unknown): InputObject {
  if (typeof input !== 'object' || input === null) throw malformed('an entry is no object')
  return input
}
