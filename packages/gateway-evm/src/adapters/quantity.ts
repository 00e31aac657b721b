/** A number or hex text as a quantity, for example `0x1f`; anything else stays. */
export function quantity(value: unknown): unknown {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? `0x${value.toString(16)}`
    : value
}
