import type { Address } from '@ton/core'
import { readAddress } from '../cells/address.ts'
import { readHash } from '../cells/hash.ts'
import { Failure } from '../failure.ts'

/** Parses a parameter: all its values in the query, and its name for the error text. */
export type Reader<value> = (input: readonly string[], name: string) => value

/** Parses one value of a parameter; returns undefined for an invalid text. */
type Form<value> = (text: string) => value | undefined

export type Sort = 'asc' | 'desc'

const defaultLimit = 100
const maxRows = 1000
const maxValues = 1000

function single<value>(form: Form<value>, rule: string): Reader<value | undefined> {
  return (input, name) => {
    if (input.length > 1) throw new Failure(422, `${name} must be given once`)
    return input[0] === undefined ? undefined : formed(form, input[0], name, rule)
  }
}

function many<value>(form: Form<value>, rule: string): Reader<readonly value[]> {
  return (input, name) => {
    if (input.length > maxValues) throw new Failure(422, `${name} must have at most ${maxValues} values`)
    return input.map((text) => formed(form, text, name, rule))
  }
}

function formed<value>(form: Form<value>, text: string, name: string, rule: string): value {
  const value = form(text)
  if (value === undefined) throw new Failure(422, `${name} must be ${rule}`)
  return value
}

/** Makes a parameter of one value required. */
export function required<value>(reader: Reader<value | undefined>, status = 422): Reader<value> {
  return (input, name) => {
    const value = reader(input, name)
    if (value === undefined) throw new Failure(status, `${name} is required`)
    return value
  }
}

/** Makes a parameter of many values required. */
export function atLeastOne<value>(reader: Reader<readonly value[]>): Reader<readonly value[]> {
  return (input, name) => {
    if (input.length === 0) throw new Failure(422, `at least one ${name} is required`)
    return reader(input, name)
  }
}

/** Makes a parameter of one value optional with a default. */
export function withDefault<value>(reader: Reader<value | undefined>, standard: value): Reader<value> {
  return (input, name) => reader(input, name) ?? standard
}

const addressForm: Form<Address> = (text) => readAddress(text)?.address
// Base64 can begin with the same two letters as this hex form.
const hashForm: Form<Buffer> = (text) => readHash(/^0x[0-9a-f]{64}$/i.test(text) ? text.slice(2) : text)
const nameForm: Form<string> = (text) => (/^[\w.]+$/.test(text) ? text : undefined)

const anAddress = 'an address, raw or friendly'
const aHash = 'a hash of 32 bytes, in hex or base64'

export const address = single(addressForm, anAddress)
export const addresses = many(addressForm, anAddress)
/** An address, or `null` for messages without one. */
export const addressOrNone = single(
  (text) => (text === 'null' ? 'none' : addressForm(text)),
  `${anAddress}, or null`,
)
export const hash = single(hashForm, aHash)
export const hashes = many(hashForm, aHash)
/** Names of action types. */
export const names = many(nameForm, 'letters, digits, points and underscores')
export const texts = many((text) => text, 'a text')

export const direction = single<'in' | 'out'>(
  (text) => (text === 'in' || text === 'out' ? text : undefined),
  'one of: in, out',
)

export const boolean = single((text) => {
  if (/^(1|t|true)$/i.test(text)) return true
  return /^(0|f|false)$/i.test(text) ? false : undefined
}, 'true or false')

/** An integer of 32 bits. */
export const int32 = single((text) => {
  const value = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  return value >= -(2 ** 31) && value < 2 ** 31 ? value : undefined
}, 'an integer of 32 bits')

/** Unix seconds. */
const utime = single((text) => (/^\d{1,10}$/.test(text) ? Number(text) : undefined), 'a time in Unix seconds')

/** A logical time. */
export const lt = single((text) => {
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : undefined
  return value === undefined || value >= 2n ** 64n ? undefined : value
}, 'a logical time')

/** The first 32 bits of a body: in hex with or without `0x`, or as a negative decimal. */
export const opcodeForm: Form<number> = (text) => {
  if (/^(0x)?[0-9a-f]{1,8}$/i.test(text)) return Number.parseInt(text, 16)
  const value = /^-\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  return value >= -(2 ** 31) ? value >>> 0 : undefined
}
export const opcode = single(opcodeForm, 'an operation code, in hex or signed decimal')
export const opcodes = many(opcodeForm, 'an operation code, in hex or signed decimal')

/** A shard as its 64 bits: in hex with or without `0x`, or as a signed decimal. */
export const shard = single((text) => {
  if (/^(0x)?[0-9a-f]{1,16}$/i.test(text)) return BigInt(`0x${text.replace(/^0x/i, '')}`)
  const value = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined
  return value === undefined || value < -(2n ** 63n) ? undefined : BigInt.asUintN(64, value)
}, 'a shard, in hex or signed decimal')

const order: Reader<Sort | undefined> = (input) => {
  if (input[0] === undefined) return undefined
  const written: Record<string, Sort> = { asc: 'asc', a: 'asc', desc: 'desc', d: 'desc' }
  const found = input.length === 1 ? written[input[0].toLowerCase()] : undefined
  if (found === undefined) throw new Failure(422, 'wrong value for sort parameter')
  return found
}

const limit: Reader<number> = (input, name) => {
  const rows = Math.max(1, int32(input, name) ?? defaultLimit)
  if (rows > maxRows) throw new Failure(422, `limit is not allowed: ${rows} > ${maxRows}`)
  return rows
}

const offset: Reader<number> = (input, name) => Math.max(0, int32(input, name) ?? 0)

/** A page of a list. */
export const page = { limit, offset }
export const sort = withDefault(order, 'desc')
/** An optional sort order, without a default. */
export const sortIfAny = order
/** A window of Unix times and one of logical times; all bounds are inclusive. */
export const window = { start_utime: utime, end_utime: utime, start_lt: lt, end_lt: lt }
