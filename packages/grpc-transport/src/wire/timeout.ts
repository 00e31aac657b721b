const units = [
  ['m', 1],
  ['S', 1000],
  ['M', 60_000],
  ['H', 3_600_000],
] as const

const millisecondsOf: Readonly<Record<string, number>> = { n: 1e-6, u: 1e-3, ...Object.fromEntries(units) }

const maxAmount = 99_999_999

/**
 * Formats the value of `grpc-timeout`, in the finest unit that fits, rounded up.
 *
 * @param timeoutMs - milliseconds; values below one count as one
 * @returns up to 8 digits and a unit
 * @example
 * ```ts
 * formatTimeout(30_000) // '30000m'
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Timeout
 */
export function formatTimeout(timeoutMs: number): string {
  for (const [unit, milliseconds] of units) {
    const amount = Math.max(1, Math.ceil(timeoutMs / milliseconds))
    if (amount <= maxAmount) return `${amount}${unit}`
  }
  return `${maxAmount}H`
}

/**
 * Parses the value of `grpc-timeout`.
 *
 * @param text - value of the header
 * @returns milliseconds, with fractions for the finest units; undefined for an invalid value
 * @example
 * ```ts
 * parseTimeout('5S') // 5000
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Timeout
 */
export function parseTimeout(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? []
  const milliseconds = millisecondsOf[unit ?? '']
  return milliseconds === undefined ? undefined : Number(digits) * milliseconds
}
