/**
 * Parses the value of `Retry-After`: seconds, or an HTTP date.
 *
 * @returns milliseconds; undefined without a valid value, and for a date in the past, which a clock that is wrong writes
 * @see RFC 9110, section 10.2.3
 */
export function parseRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(value)) return Number(value) * 1_000
  const ms = /^[a-z]{3}/i.test(value) ? Date.parse(value) - Date.now() : Number.NaN
  return ms > 0 ? ms : undefined
}
