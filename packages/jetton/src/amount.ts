import { FairleadError } from '@fairlead/core'

/**
 * Parses a decimal amount into the smallest units, without rounding.
 *
 * @param text - decimal number such as `1.5`; a sign is allowed, an exponent or separators are not
 * @param decimals - decimal places of the currency: 9 for the coin of the chain, else the `decimals` of the jetton
 * @returns number of smallest units
 * @throws FairleadError `CONFIG_INVALID` when the text is not a decimal number or has more places than `decimals`
 * @example
 * ```ts
 * toUnits('1.5', 9) // 1500000000n
 * ```
 * @see TEP-64, attribute `decimals`
 */
export function toUnits(text: string, decimals: number): bigint {
  requireDecimals(decimals)
  const [, sign = '', integer = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (!integer) throw invalid('amount', 'must be a decimal number such as 1.5')
  if (fraction.length > decimals) throw invalid('amount', `must have at most ${decimals} decimal places`)
  return BigInt(sign + integer + fraction.padEnd(decimals, '0'))
}

/**
 * Formats smallest units as a decimal number, exactly and without trailing zeros.
 *
 * @param units - number of smallest units: a bigint, or an amount from a response
 * @param decimals - decimal places of the currency: 9 for the coin of the chain, else the `decimals` of the jetton
 * @returns decimal number such as `1.5`, which {@link toUnits} parses back
 * @throws FairleadError `CONFIG_INVALID` when `units` is not an integer or `decimals` is invalid
 * @example
 * ```ts
 * fromUnits(1500000000n, 9) // '1.5'
 * ```
 * @see TEP-64, attribute `decimals`
 */
export function fromUnits(units: bigint | string, decimals: number): string {
  requireDecimals(decimals)
  const [, sign = '', digits = ''] = /^(-?)(\d+)$/.exec(String(units)) ?? []
  if (!digits) throw invalid('units', 'must be an integer')
  const padded = digits.padStart(decimals + 1, '0')
  const integer = padded.slice(0, padded.length - decimals)
  const fraction = padded.slice(padded.length - decimals).replace(/0+$/, '')
  return sign + integer + (fraction && `.${fraction}`)
}

// A jetton stores its decimals in one byte (TEP-64).
function requireDecimals(decimals: number): void {
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255)
    throw invalid('decimals', 'must be an integer from 0 to 255')
}

const invalid = (option: string, rule: string) => new FairleadError('CONFIG_INVALID', { option, rule })
