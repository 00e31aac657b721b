/**
 * Addresses with a checksum in the case of their letters. Apart from the main entry, as it brings a hash function along.
 *
 * @module
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Address } from './generated/index.ts'
import { assertAddress, isAddress } from './values/guards.ts'
import { fromBytes, toQuantity } from './values/hex.ts'

/**
 * Writes an address with its checksum.
 *
 * @param address - 0x and 40 hex digits, in any case
 * @param chainId - only for the few chains that mix their id into the checksum (EIP-1191), such as 30
 * @returns the address with some of its letters in upper case
 * @throws FairleadError `CONFIG_INVALID` when it is no address, or the chain id no whole number
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
 * Tells whether a value is an address whose letters carry the right checksum.
 *
 * @param value - anything
 * @param chainId - as for {@link checksumAddress}
 * @returns false also for an address in one case, which carries no checksum, unless it has no letters
 * @example
 * ```ts
 * isChecksumAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed') // true
 * ```
 * @see EIP-55; EIP-1191
 */
export function isChecksumAddress(value: unknown, chainId?: number | bigint): value is Address {
  return isAddress(value) && checksumAddress(value, chainId) === value
}
