import { type Cell, Dictionary, type DictionaryValue, type Slice } from '@ton/core'

/** A JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/**
 * Reads a value of a TL-B type from the start of a slice.
 *
 * @throws when the slice holds something else
 */
export type Reader<T extends JsonValue = JsonValue> = (slice: Slice) => T

/** Fields in storage order. */
export type Fields = Readonly<Record<string, Reader>>

/** A constructor of a TL-B type. Its tag distinguishes it from the other constructors of that type. */
export interface Constructor extends Reader<JsonObject> {
  readonly isNext: (slice: Slice) => boolean
}

// JSON parsers read numbers as doubles.
const integer = (value: bigint): JsonValue => {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

/** `uintN` and `## N`. */
export const uint =
  (bits: number): Reader =>
  (slice) =>
    integer(slice.loadUintBig(bits))

/** `intN`. */
export const int =
  (bits: number): Reader =>
  (slice) =>
    integer(slice.loadIntBig(bits))

/** `Grams`, in the smallest unit. */
export const grams: Reader = (slice) => integer(slice.loadCoins())

/** `VarUInteger 32`. */
export const varUInteger32: Reader = (slice) => integer(slice.loadVarUintBig(5))

/** `Bool`. */
export const bool: Reader = (slice) => slice.loadBit()

/** `bits256` and other types of that length that are not numbers, in hex. */
export const bits256: Reader<string> = (slice) => slice.loadBuffer(32).toString('hex')

/** `True` and `Unit`: no data. */
export const unit: Reader<null> = () => null

/** `Maybe X`; null when absent. */
export const maybe =
  (reader: Reader): Reader =>
  (slice) =>
    slice.loadBit() ? reader(slice) : null

/**
 * Reads a cell that holds exactly one value.
 *
 * @throws when the cell holds something else
 */
export const readCell = <T extends JsonValue>(cell: Cell, reader: Reader<T>): T =>
  readToEnd(cell.beginParse(), reader)

/** `^X`. */
export const ref =
  (reader: Reader): Reader =>
  (slice) =>
    readCell(slice.loadRef(), reader)

/** Fields without a tag. */
export const fields =
  (readers: Fields): Reader<JsonObject> =>
  (slice) =>
    Object.fromEntries(Object.entries(readers).map(([name, reader]) => [name, reader(slice)]))

/**
 * A constructor with its fields.
 *
 * @param declaration - name and tag as in TL-B, for example `param_limits#c3`
 * @param body - reader of the data after the tag
 */
export function constructor(declaration: string, body: Reader<JsonObject>): Constructor {
  const hex = declaration.slice(declaration.indexOf('#') + 1)
  const bits = hex.length * 4
  const tag = Number.parseInt(hex, 16)
  const isNext = (slice: Slice) => slice.remainingBits >= bits && slice.preloadUint(bits) === tag
  const read = (slice: Slice) => {
    if (!isNext(slice)) throw new Error(`There is no ${declaration} here.`)
    slice.skip(bits)
    return body(slice)
  }
  return Object.assign(read, { isNext })
}

/** A type with several constructors. */
export const oneOf =
  (...constructors: readonly Constructor[]): Reader<JsonObject> =>
  (slice) => {
    const match = constructors.find(({ isNext }) => isNext(slice))
    if (match === undefined) throw new Error('None of the constructors is here.')
    return match(slice)
  }

/** The key type of a dictionary. */
export interface Key {
  readonly bits: number
  readonly format: (key: bigint) => string | number
}

/** Unsigned integer keys of at most 48 bits. */
export const uintKey = (bits: number): Key => ({ bits, format: Number })

/** Signed 32-bit integer keys. */
export const int32Key: Key = { bits: 32, format: (key) => Number(BigInt.asIntN(32, key)) }

/** 256-bit keys in hex. */
export const bits256Key: Key = { bits: 256, format: (key) => key.toString(16).padStart(64, '0') }

/** Keys of a 32-bit workchain and a 256-bit account, as raw addresses. */
export const addressKey: Key = {
  bits: 288,
  format: (key) => `${int32Key.format(key >> 256n)}:${bits256Key.format(BigInt.asUintN(256, key))}`,
}

/** `HashmapE N X` as an object. */
export const hashmapE =
  (key: Key, value: Reader): Reader<JsonObject> =>
  (slice) => {
    const root = slice.loadMaybeRef()
    return root === null ? {} : readCell(root, hashmap(key, value))
  }

/** `Hashmap N X` as an object. */
export const hashmap =
  (key: Key, value: Reader): Reader<JsonObject> =>
  (slice) =>
    Object.fromEntries(entries(key, value, slice))

/** `HashmapE N True` as a list of the keys. */
export const setE =
  (key: Key): Reader =>
  (slice) => {
    const root = slice.loadMaybeRef()
    return root === null ? [] : readCell(root, set(key))
  }

/** `Hashmap N True` as a list of the keys. */
export const set =
  (key: Key): Reader =>
  (slice) =>
    entries(key, unit, slice).map(([each]) => each)

function entries(key: Key, value: Reader, slice: Slice): (readonly [string | number, JsonValue])[] {
  const values: DictionaryValue<JsonValue> = {
    parse: (leaf) => readToEnd(leaf, value),
    serialize: () => {
      throw new Error('Dictionaries are read only.')
    },
  }
  const dictionary = Dictionary.loadDirect(Dictionary.Keys.BigUint(key.bits), values, slice)
  return [...dictionary].map(([each, item]) => [key.format(each), item])
}

function readToEnd<T extends JsonValue>(slice: Slice, reader: Reader<T>): T {
  const value = reader(slice)
  slice.endParse()
  return value
}
