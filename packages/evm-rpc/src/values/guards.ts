import { FairleadError } from '@fairlead/core'
import type { Address, Bytes, Hash32, Quantity } from '../generated/index.ts'

const forms = {
  hex: [/^0x[0-9a-fA-F]*$/, 'must be 0x-prefixed hex'],
  bytes: [/^0x(?:[0-9a-fA-F]{2})*$/, 'must be 0x-prefixed hex with an even number of digits'],
  quantity: [
    /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$/,
    'must be 0x-prefixed hex without leading zeros, zero being 0x0',
  ],
  address: [/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits'],
  hash: [/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits'],
} as const

function has(form: keyof typeof forms, value: unknown): boolean {
  return typeof value === 'string' && forms[form][0].test(value)
}

// The value can be a private key that was passed by mistake, so the error contains only the field and the rule.
function assertForm(form: keyof typeof forms, value: unknown, field: string): void {
  if (!has(form, value)) throw new FairleadError('CONFIG_INVALID', { option: field, rule: forms[form][1] })
}

/**
 * Returns whether a value is 0x-prefixed hex of any length.
 *
 * @param value - any value
 * @returns true for a text such as `0x`, `0x1` or `0xFF`
 * @example
 * ```ts
 * isHex('0x1') // true
 * ```
 * @see https://ethereum.org/developers/docs/apis/json-rpc/#hex-encoding
 */
export function isHex(value: unknown): value is `0x${string}` {
  return has('hex', value)
}

/**
 * Returns whether a value is hex data in JSON-RPC encoding.
 *
 * @param value - any value
 * @returns true for 0x-prefixed hex with an even number of digits
 * @example
 * ```ts
 * isBytes('0x1') // false
 * ```
 * @see specs/evm/openrpc.yaml, schema Bytes
 */
export function isBytes(value: unknown): value is Bytes {
  return has('bytes', value)
}

/**
 * Returns whether a value is a quantity in JSON-RPC encoding.
 *
 * @param value - any value
 * @returns true for 0x-prefixed hex without leading zeros
 * @example
 * ```ts
 * isQuantity('0x01') // false
 * ```
 * @see specs/evm/openrpc.yaml, schema Quantity
 */
export function isQuantity(value: unknown): value is Quantity {
  return has('quantity', value)
}

/**
 * Returns whether a value has the form of an address; a checksum in the case of the letters is not validated.
 *
 * @param value - any value
 * @returns true for 0x and 40 hex digits
 * @example
 * ```ts
 * isAddress('0x5fbdb2315678afecb367f032d93f642f64180aa3') // true
 * ```
 * @see specs/evm/openrpc.yaml, schema Address
 */
export function isAddress(value: unknown): value is Address {
  return has('address', value)
}

/**
 * Returns whether a value has the form of a hash: of a block, a transaction or a topic.
 *
 * @param value - any value
 * @returns true for 0x and 64 hex digits
 * @example
 * ```ts
 * isHash32(log.transactionHash)
 * ```
 * @see specs/evm/openrpc.yaml, schema Hash32
 */
export function isHash32(value: unknown): value is Hash32 {
  return has('hash', value)
}

/**
 * Throws unless a value passes {@link isBytes}.
 *
 * @param value - any value
 * @param field - name of the value in the error
 * @throws FairleadError `CONFIG_INVALID` that names the field and the rule, never the value
 * @example
 * ```ts
 * assertBytes(input, 'calldata')
 * ```
 * @see specs/evm/openrpc.yaml, schema Bytes
 */
export function assertBytes(value: unknown, field: string): asserts value is Bytes {
  assertForm('bytes', value, field)
}

/**
 * Throws unless a value passes {@link isQuantity}.
 *
 * @param value - any value
 * @param field - name of the value in the error
 * @throws FairleadError `CONFIG_INVALID` that names the field and the rule, never the value
 * @example
 * ```ts
 * assertQuantity(input, 'amount')
 * ```
 * @see specs/evm/openrpc.yaml, schema Quantity
 */
export function assertQuantity(value: unknown, field: string): asserts value is Quantity {
  assertForm('quantity', value, field)
}

/**
 * Throws unless a value passes {@link isAddress}.
 *
 * @param value - any value
 * @param field - name of the value in the error
 * @throws FairleadError `CONFIG_INVALID` that names the field and the rule, never the value
 * @example
 * ```ts
 * assertAddress(input, 'recipient')
 * ```
 * @see specs/evm/openrpc.yaml, schema Address
 */
export function assertAddress(value: unknown, field: string): asserts value is Address {
  assertForm('address', value, field)
}

/**
 * Throws unless a value passes {@link isHash32}.
 *
 * @param value - any value
 * @param field - name of the value in the error
 * @throws FairleadError `CONFIG_INVALID` that names the field and the rule, never the value
 * @example
 * ```ts
 * assertHash32(input, 'transaction')
 * ```
 * @see specs/evm/openrpc.yaml, schema Hash32
 */
export function assertHash32(value: unknown, field: string): asserts value is Hash32 {
  assertForm('hash', value, field)
}
