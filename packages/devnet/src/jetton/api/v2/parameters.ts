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
  read(given: unknown, name: string): value
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
 * @param given Unparsed parameters from the client.
 * @param source The kind of request, for the error text.
 * @returns The values by name.
 * @throws {@link Failure} with 422 for missing or malformed parameters, and for names that are not allowed in a body.
 */
export function readParameters<parameters extends Parameters>(
  parameters: parameters,
  given: Readonly<Record<string, unknown>>,
  source: 'get' | 'post',
): Values<parameters> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(parameters, name))
  if (source === 'post' && unknown !== undefined) {
    throw new Failure(422, `failed to parse post request: unknown property ${JSON.stringify(unknown)}`)
  }
  const values = Object.entries(parameters).map(([name, parameter]) => {
    const value = given[name]
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
export const writtenAddress: Parameter<WrittenAddress> = {
  read(given) {
    if (given === '') throw invalid('empty address')
    return present(typeof given === 'string' ? readAddress(given) : undefined)
  },
}

/** An address in any form. */
export const address: Parameter<Address> = {
  read: (given, name) => writtenAddress.read(given, name).address,
}

/** A hash of 32 bytes. */
export const hash: Parameter<Buffer> = {
  read: (given) => present(typeof given === 'string' ? readHash(given) : undefined),
}

/** An optional hash; an empty value counts as missing. */
export const optionalHash: Parameter<Buffer | undefined> = {
  read: (given, name) => (given === '' ? undefined : hash.read(given, name)),
  absent: () => undefined,
}

/** The id of an account within its workchain: a hash, or an address, whose workchain is ignored. */
export const accountId: Parameter<Buffer | undefined> = {
  read(given, name) {
    const written = typeof given === 'string' ? readAddress(given) : undefined
    return written === undefined ? optionalHash.read(given, name) : written.address.hash
  },
  absent: () => undefined,
}

/** A list of hashes: repeated in a query, an array in a body. */
export const hashes: Parameter<readonly Buffer[]> = {
  read(given, name) {
    const list = Array.isArray(given) ? given : [given]
    return list.map((item) => hash.read(item, name))
  },
  absent: () => [],
}

/** A signed number of 64 bits. */
export const int64: Parameter<bigint> = { read: (given) => readInteger(given, 64) }

/** A signed number of 32 bits. */
export const int32: Parameter<number> = { read: (given) => Number(readInteger(given, 32)) }

/** A number of 32 bits that is greater than zero. */
export const positive: Parameter<number> = {
  read(given, name) {
    const value = int32.read(given, name)
    if (value <= 0) throw invalid(`${name} should be positive`)
    return value
  },
}

/** A number of 32 bits that is not negative. */
export const nonNegative: Parameter<number> = {
  read(given, name) {
    const value = int32.read(given, name)
    if (value < 0) throw invalid(`${name} should be non-negative`)
    return value
  },
}

/** A logical time. */
export const logicalTime: Parameter<bigint> = {
  read(given, name) {
    const value = int64.read(given, name)
    if (value < 0n) throw invalid(`${name} should be non-negative`)
    return value
  },
}

/** The number of rows to return: from one to a limit. */
export function count(most: number): Parameter<number> {
  return {
    read(given, name) {
      const value = positive.read(given, name)
      if (value > most) throw invalid(`${name} should be less or equal ${most}`)
      return value
    },
  }
}

/** True or false, as a word or a digit. */
export const boolean: Parameter<boolean> = {
  read(given) {
    if (given === true || given === 1 || given === 'true' || given === '1') return true
    if (given === false || given === 0 || given === 'false' || given === '0') return false
    throw new TypeError('not a boolean')
  },
}

/** Any text. */
export const text: Parameter<string> = {
  read(given) {
    if (typeof given !== 'string') throw new TypeError('not a text')
    return given
  },
}

/** A bag of cells with one root. */
export const boc: Parameter<Cell> = {
  read(given, name) {
    if (given === '') throw invalid(`empty ${name}`)
    return present(typeof given === 'string' ? readBoc(given) : undefined)
  },
}

/** An optional bag of cells; an empty value counts as missing. */
export const optionalBoc: Parameter<Cell | undefined> = {
  read: (given, name) => (given === '' ? undefined : boc.read(given, name)),
  absent: () => undefined,
}

/** Any list. */
export const list: Parameter<readonly unknown[]> = {
  read(given) {
    if (!Array.isArray(given)) throw new TypeError('not a list')
    return given
  },
}

function readInteger(given: unknown, bits: number): bigint {
  const written = typeof given === 'number' ? `${given}` : given
  if (typeof written !== 'string' || !/^-?\d{1,20}$/.test(written)) throw new TypeError('not an integer')
  const value = BigInt(written)
  if (BigInt.asIntN(bits, value) !== value) throw new RangeError(`not an integer of ${bits} bits`)
  return value
}

function present<value>(value: value | undefined): value {
  if (value === undefined) throw new TypeError('malformed')
  return value
}
