import { FairleadError } from '@fairlead/core'
import type { Bytes, Quantity } from '../generated/index.ts'
import { assertBytes } from './guards.ts'

const hexNumber = /^0x[0-9a-fA-F]+$/

/**
 * Converts a JSON-RPC quantity to a bigint.
 *
 * @param quantity - 0x-prefixed hex; leading zeros, which some nodes send, are accepted
 * @returns the whole number
 * @throws FairleadError `CONFIG_INVALID` for any other value
 * @example
 * ```ts
 * toBigInt('0x1b4') // 436n
 * ```
 * @see specs/evm/openrpc.yaml, schema Quantity
 */
export function toBigInt(quantity: Quantity): bigint {
  if (!hexNumber.test(quantity)) throw invalid('quantity', 'must be 0x-prefixed hex with at least one digit')
  return BigInt(quantity)
}

/**
 * Converts a JSON-RPC quantity to a number without loss of precision.
 *
 * @param quantity - 0x-prefixed hex
 * @returns a whole number of at most 2^53 - 1
 * @throws FairleadError `CONFIG_INVALID` for a larger quantity, or a value that is not a quantity
 * @example
 * ```ts
 * toNumber('0x1b4') // 436
 * ```
 * @see specs/evm/openrpc.yaml, schema Quantity
 */
export function toNumber(quantity: Quantity): number {
  const value = toBigInt(quantity)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw invalid('quantity', 'must be at most 2^53 - 1')
  return Number(value)
}

/**
 * Converts a whole number to a JSON-RPC quantity.
 *
 * @param value - zero or more; as a `number` at most 2^53 - 1
 * @returns 0x-prefixed hex without leading zeros
 * @throws FairleadError `CONFIG_INVALID` for a negative, fractional or unsafe number
 * @example
 * ```ts
 * toQuantity(436n) // '0x1b4'
 * ```
 * @see specs/evm/openrpc.yaml, schema Quantity
 */
export function toQuantity(value: bigint | number): Quantity {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw invalid('value', 'must be a whole number of at most 2^53 - 1, or a bigint')
  }
  if (value < 0) throw invalid('value', 'must not be negative')
  return `0x${value.toString(16)}`
}

/**
 * Converts JSON-RPC hex data to bytes.
 *
 * @param data - 0x-prefixed hex with an even number of digits
 * @returns the bytes
 * @throws FairleadError `CONFIG_INVALID` for any other value
 * @example
 * ```ts
 * toBytes('0xff00') // Uint8Array [255, 0]
 * ```
 * @see specs/evm/openrpc.yaml, schema Bytes
 */
export function toBytes(data: Bytes): Uint8Array {
  assertBytes(data, 'data')
  return Uint8Array.from({ length: data.length / 2 - 1 }, (_, index) =>
    Number.parseInt(data.slice(2 + 2 * index, 4 + 2 * index), 16),
  )
}

/**
 * Converts bytes to JSON-RPC hex data.
 *
 * @param bytes - any bytes; an empty array yields `0x`
 * @returns 0x-prefixed hex in lower case
 * @example
 * ```ts
 * fromBytes(new Uint8Array([255, 0])) // '0xff00'
 * ```
 * @see specs/evm/openrpc.yaml, schema Bytes
 */
export function fromBytes(bytes: Uint8Array): Bytes {
  let data = '0x'
  for (const byte of bytes) data += byte.toString(16).padStart(2, '0')
  return data
}

function invalid(option: string, rule: string): FairleadError {
  return new FairleadError('CONFIG_INVALID', { option, rule })
}
