import { FairleadError } from '@fairlead/core'
import { bytesOfBase58 } from '../base58.ts'

/** Creates the error for a filter: its field, the rule, and the type of the value - never the value. */
export function refusal(option: string, rule: string, value?: unknown): FairleadError {
  return new FairleadError('CONFIG_INVALID', {
    option,
    rule: value === undefined ? rule : `${rule}, not ${describeType(value)}`,
  })
}

function describeType(value: unknown): string {
  if (typeof value === 'string') return `text of ${value.length} characters`
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Uint8Array) return `${value.length} bytes`
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Rejects values that are not objects, and unknown fields of a filter. */
export function requireFields(option: string, value: object, fields: readonly string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refusal(option, 'must be an object', value)
  }
  const unknownField = Object.keys(value).find((name) => !fields.includes(name))
  if (unknownField !== undefined) {
    throw refusal(`${option}.${unknownField}`, `must be one of ${fields.join(', ') || 'no fields'}`)
  }
}

/** Rejects values that are not lists. */
export function requireList<member>(option: string, value: readonly member[] | undefined): readonly member[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw refusal(option, 'must be a list', value)
  return value as readonly member[]
}

/** Rejects values that are not booleans. */
export function requireBoolean(option: string, value: boolean | undefined): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  throw refusal(option, 'must be true or false', value)
}

/** Rejects invalid addresses. */
export function requireAddresses(option: string, value: readonly string[] | undefined): string[] {
  const addresses = requireList(option, value)
  return addresses.map((address, position) => requireBase58(`${option}[${position}]`, address, 32))
}

/** Rejects values that are not base58 of the given number of bytes. */
export function requireBase58(option: string, value: string, length: number): string {
  // Base58 has at most 1.37 characters per byte; a longer text is not decoded.
  const readable = typeof value === 'string' && value.length <= length * 1.4
  if (readable && bytesOfBase58(value)?.length === length) return value
  throw refusal(option, `must be ${length} bytes in base58`, value)
}

/** Rejects values that are not 64-bit whole numbers. */
export function requireUint64(option: string, value: number | bigint): bigint {
  const fits = typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'bigint'
  if (fits && value >= 0 && value < 2n ** 64n) return BigInt(value)
  throw refusal(option, 'must be a whole number from 0 to 2^64 - 1', fits ? undefined : value)
}
