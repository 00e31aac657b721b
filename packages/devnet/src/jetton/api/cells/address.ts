import { Address } from '@ton/core'

const raw = /^(-?\d{1,3}):([0-9a-f]{64})$/i
const friendly = /^[\w+/-]{48}$/

/** An address and the form in which it was written. */
export interface WrittenAddress {
  readonly address: Address
  readonly form: 'raw' | 'bounceable' | 'non_bounceable'
  /** Whether the friendly form restricts the address to test networks. */
  readonly testOnly: boolean
}

/**
 * Parses an address in its raw form, `workchain:hex`, or in a friendly form: 48 characters of base64 or base64url
 * (TEP-2).
 *
 * @param text the address
 * @returns the address with its form, or undefined for an invalid text
 */
export function readAddress(text: string): WrittenAddress | undefined {
  const parts = raw.exec(text)
  if (parts !== null) {
    const workchain = Number(parts[1])
    // The friendly form encodes a workchain in one byte.
    if (workchain < -128 || workchain > 127) return undefined
    return {
      address: new Address(workchain, Buffer.from(`${parts[2]}`, 'hex')),
      form: 'raw',
      testOnly: false,
    }
  }
  if (!friendly.test(text)) return undefined
  try {
    const { address, isBounceable, isTestOnly } = Address.parseFriendly(text)
    return { address, form: isBounceable ? 'bounceable' : 'non_bounceable', testOnly: isTestOnly }
  } catch {
    return undefined
  }
}

/**
 * Formats an address as `workchain:hex` in upper case.
 *
 * @param address an address, or its raw form in upper or lower case
 * @returns the raw form as the TON HTTP APIs return it
 */
export function writeRawAddress(address: Address | string): string {
  return (typeof address === 'string' ? address : address.toRawString()).toUpperCase()
}
