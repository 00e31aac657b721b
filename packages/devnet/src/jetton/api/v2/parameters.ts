import type { Address, Cell } from '@ton/core'
import { readAddress, type WrittenAddress } from '../cells/address.ts'
import { readBoc } from '../cells/bag-of-cells.ts'
import { readHash } from '../cells/hash.ts'
import { Failure } from '../failure.ts'
import { invalid } from './failure.ts'

/** The parser of one parameter: text of a query, or any value of a JSON object. */
export interface Parameter<value> {
  /**
   * @throws {@link Failure}, or any error for a value of another kind.
   */
  read(input: unknown, name: string): value
  /** Default for a missing parameter; without it the parameter is required. */
  readonly absent?: () => value
}

/** Parameters by their names in the request. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>

/** The parsed parameters of a method. */
export type Values<parameters extends Parameters> = {
  readonly [name in keyof parameters]: parameters[name] extends Parameter<infer value> ? value : never
}

/**
 * Parses the parameters of a request.
 *
 * @param parameters The parser of each parameter.
 * @param input Unparsed parameters from the client.
 * @param source The kind of request, for the error text.
 * @returns The values by name.
 * @throws {@link Failure} with 422 for missing or malformed parameters, and for names that are not allowed in a body.
 */
export function readParameters<parameters extends Parameters>(
  parameters: parameters,
  input: Readonly<Record<string, unknown>>,
  source: 'get' | 'post',
): Values<parameters> {
  const unknown = Object.keys(input).find((name) => !Object.hasOwn(parameters, name))
  if (source === 'post' && unknown !== undefined) {
    throw new Failure(422, `failed to parse post request: unknown property ${JSON.stringify(unknown)}`)
  }
  const values = Object.entries(parameters).map(([name, parameter]) => {
    const value = input[name]
    if ((value === undefined || value === null) && parameter.absent !== undefined) {
      return [name, parameter.absent()]
    }
    try {
      return [name, parameter.read(value, name)]
    } catch (error) {
      if (error instanceof Failure) throw error
      throw new Failure(422, `failed to parse ${source} request: failed to parse ${name}`)
    }
  })
  return Object.fromEntries(values) as Values<parameters>
}

/** Makes a parameter optional. */
export function optional<value>(parameter: Parameter<value>): Parameter<value | undefined> {
  return { read: parameter.read, absent: () => undefined }
}

/** Makes a parameter optional with a default value. */
export function withDefault<value>(parameter: Parameter<value>, value: value): Parameter<value> {
  return { read: parameter.read, absent: () => value }
}

/** An address in any form, with that form. */
export const formattedAddress: Parameter<WrittenAddress> = {
  read(input) {
    if (input === '') throw invalid('empty address')
    return present(typeof input === 'string' ? readAddress(input) : undefined)
  },
}

/** An address in any form. */
export const address: Parameter<Address> = {
  read: (input, name) => formattedAddress.read(input, name).address,
}

/** A hash of 32 bytes. */
export const hash: Parameter<Buffer> = {
  read: (input) => present(typeof input === 'string' ? readHash(input) : undefined),
}

/** An optional hash; an empty value counts as missing. */
export const optionalHash: Parameter<Buffer | undefined> = {
  read: (input, name) => (input === '' ? undefined : hash.read(input, name)),
  absent: () => undefined,
}

/** The id of an account within its workchain: a hash, or an address, whose workchain is ignored. */
export const accountId: Parameter<Buffer | undefined> = {
  read(input, name) {
    const written = typeof input === 'string' ? readAddress(input) : undefined
    return written === undefined ? optionalHash.read(input, name) : written.address.hash
  },
  absent: () => undefined,
}

/** A list of hashes: repeated in a query, an array in a body. */
export const hashes: Parameter<readonly Buffer[]> = {
  read(input, name) {
    const list = Array.isArray(input) ? input : [input]
    return list.map((item) => hash.read(item, name))
  },
  absent: () => [],
}

/** A signed number of 64 bits. */
export const int64: Parameter<bigint> = { read: (input) => readInteger(input, 64) }

/** A signed number of 32 bits. */
export const int32: Parameter<number> = { read: (input) => Number(readInteger(input, 32)) }

/** A number of 32 bits that is greater than zero. */
export const positive: Parameter<number> = {
  read(input, name) {
    const value = int32.read(input, name)
    if (value <= 0) throw invalid(`${name} should be positive`)
    return value
  },
}

/** A number of 32 bits that is not negative. */
export const nonNegative: Parameter<number> = {
  read(input, name) {
    const value = int32.read(input, name)
    if (value < 0) throw invalid(`${name} should be non-negative`)
    return value
  },
}

/** A logical time. */
export const logicalTime: Parameter<bigint> = {
  read(input, name) {
    const value = int64.read(input, name)
    if (value < 0n) throw invalid(`${name} should be non-negative`)
    return value
  },
}

/** The number of rows to return: from one to a limit. */
export function count(maximum: number): Parameter<number> {
  return {
    read(input, name) {
      const value = positive.read(input, name)
      if (value > maximum) throw invalid(`${name} should be less or equal ${maximum}`)
      return value
    },
  }
}

/** True or false, as a word or a digit. */
export const boolean: Parameter<boolean> = {
  read(input) {
    if (input === true || input === 1 || input === 'true' || input === '1') return true
    if (input === false || input === 0 || input === 'false' || input === '0') return false
    throw new TypeError('not a boolean')
  },
}

/** Any text. */
export const text: Parameter<string> = {
  read(input) {
    if (typeof input !== 'string') throw new TypeError('not a text')
    return input
  },
}

/** A bag of cells with one root. */
export const boc: Parameter<Cell> = {
  read(input, name) {
    if (input === '') throw invalid(`empty ${name}`)
    return present(typeof input === 'string' ? readBoc(input) : undefined)
  },
}

/** An optional bag of cells; an empty value counts as missing. */
export const optionalBoc: Parameter<Cell | undefined> = {
  read: (input, name) => (input === '' ? undefined : boc.read(input, name)),
  absent: () => undefined,
}

/** Any list. */
export const list: Parameter<readonly unknown[]> = {
  read(input) {
    if (!Array.isArray(input)) throw new TypeError('not a list')
    return input
  },
}

function readInteger(input: unknown, bits: number): bigint {
  const written = typeof input === 'number' ? `${input}` : input
  if (typeof written !== 'string' || !/^-?\d{1,20}$/.test(written)) throw new TypeError('not an integer')
  const value = BigInt(written)
  if (BigInt.asIntN(bits, value) !== value) throw new RangeError(`not an integer of ${bits} bits`)
  return value
}

function present<value>(value: value | undefined): value {
  if (value === undefined) throw new TypeError('malformed')
  return value
}
