import { FairleadError } from '@fairlead/core'
// The whole package is forty times as large. Its version is pinned, and with it this path.
import { Address } from '@ton/core/dist/address/Address.js'

/**
 * The text form of an address. `raw` is `0:` and 64 hexadecimal digits in upper case, as the v3 family returns it; the
 * others are 48 characters of URL-safe base64. Coins sent to a bounceable address (`EQ...`) are returned when no
 * contract accepts them; a non-bounceable one (`UQ...`) is for wallets, which may not be deployed yet.
 */
export type AddressForm = 'raw' | 'bounceable' | 'non-bounceable'

/** Additional flags of the friendly forms. */
export interface AddressFormOptions {
  /** Marks the address as an address of a test network. Default false. */
  readonly testOnly?: boolean | undefined
}

/**
 * Parses an address in any form.
 *
 * @param address - raw (`0:` or `-1:` and 64 hexadecimal digits of any case) or friendly (48 characters of base64 or
 *   base64url, bounceable or not, of a test network or not), or an `Address` of @ton/core
 * @returns the address as an `Address` of @ton/core
 * @throws FairleadError `CONFIG_INVALID` when it is not an address or its checksum is invalid; the error does not
 *   contain the text
 * @example
 * ```ts
 * parseAddress('EQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vXMc').workChain // 0
 * ```
 * @see TEP-2
 */
export function parseAddress(address: string | Address): Address {
  const text = String(address)
  if (/^(0|-1):[\da-f]{64}$/i.test(text)) return Address.parseRaw(text)
  if (!/^[\w+/-]{48}$/.test(text))
    throw invalid(
      'must be a raw address (0: or -1: and 64 hexadecimal digits) or a friendly one (48 characters)',
    )
  const parsed = parseFriendly(text)
  // No other workchains exist, but a byte of the text can name one.
  if (parsed && (parsed.workChain === 0 || parsed.workChain === -1)) return parsed
  throw invalid('must have the tag, workchain and checksum of an address')
}

function parseFriendly(text: string): Address | undefined {
  try {
    return Address.parseFriendly(text).address
  } catch {
    return undefined
  }
}

/**
 * Converts an address to a form.
 *
 * @param address - an address in any form, as for {@link parseAddress}
 * @param form - the target form
 * @param options - `testOnly`
 * @returns the address in that form
 * @throws FairleadError `CONFIG_INVALID` when the text is not an address or the form is unknown
 * @example
 * ```ts
 * addressForm('0:7B34CFF14F5FCD3546F0A4CC71AFBB4797A9CFA52423BCC3791637BF9F0D7EBD', 'bounceable')
 * // 'EQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vXMc'
 * ```
 * @see TEP-2
 */
export function addressForm(
  address: string | Address,
  form: AddressForm,
  options: AddressFormOptions = {},
): string {
  requireForm(form)
  const parsed = parseAddress(address)
  if (form === 'raw') return parsed.toRawString().toUpperCase()
  return parsed.toString({ bounceable: form === 'bounceable', testOnly: options.testOnly ?? false })
}

/**
 * Returns whether two addresses belong to the same account, in any forms.
 *
 * @param a - an address in any form
 * @param b - an address in any form
 * @returns true for the same workchain and the same account in it
 * @throws FairleadError `CONFIG_INVALID` when one of them is not an address
 * @example
 * ```ts
 * sameAddress(burn.burner.address, wallet)
 * ```
 * @see TEP-2
 */
export function sameAddress(a: string | Address, b: string | Address): boolean {
  return parseAddress(a).equals(parseAddress(b))
}

const forms: readonly AddressForm[] = ['raw', 'bounceable', 'non-bounceable']

/** Rejects an unknown form. */
export function requireForm(form: AddressForm): void {
  if (forms.includes(form)) return
  throw new FairleadError('CONFIG_INVALID', { option: 'form', rule: `must be one of ${forms.join(', ')}` })
}

function invalid(rule: string): FairleadError {
  return new FairleadError('CONFIG_INVALID', { option: 'address', rule })
}
