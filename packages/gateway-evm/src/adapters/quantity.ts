/** Converts a number to a quantity, for example `0x1f`. Any other value is returned unchanged. */
export function quantity(value: unknown): unknown {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? `0x${value.toString(16)}`
    : value
}
