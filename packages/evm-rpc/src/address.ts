/**
 * Checksummed addresses. A separate entry point, because it includes a hash function.
 *
 * @module
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Address } from './generated/index.ts'
import { assertAddress, isAddress } from './values/guards.ts'
import { fromBytes, toQuantity } from './values/hex.ts'

/**
 * Converts an address to its checksummed form.
 *
 * @param address - 0x and 40 hex digits, in any case
 * @param chainId - only for the few chains whose checksum includes the chain id (EIP-1191), such as 30
 * @returns the address in mixed case
 * @throws FairleadError `CONFIG_INVALID` when it is not an address, or the chain id is not a whole number
 * @example
 * ```ts
 * checksumAddress('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed') // '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
 * ```
 * @see EIP-55; EIP-1191
 */
export function checksumAddress(address: Address, chainId?: number | bigint): Address {
  assertAddress(address, 'address')
  const digits = address.slice(2).toLowerCase()
  const prefix = chainId === undefined ? '' : `${BigInt(toQuantity(chainId))}0x`
  const hash = fromBytes(keccak_256(new TextEncoder().encode(prefix + digits)))
  let written = '0x'
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charAt(index)
    written += Number.parseInt(hash.charAt(2 + index), 16) >= 8 ? digit.toUpperCase() : digit
  }
  return written
}

/**
 * Returns whether a value is an address with a valid checksum.
 *
 * @param value - any value
 * @param chainId - as for {@link checksumAddress}
 * @returns false also for an address in one case, which has no checksum, unless it has no letters
 * @example
 * ```ts
 * isChecksumAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed') // true
 * ```
 * @see EIP-55; EIP-1191
 */
export function isChecksumAddress(value: unknown, chainId?: number | bigint): value is Address {
  return isAddress(value) && checksumAddress(value, chainId) === value
}
