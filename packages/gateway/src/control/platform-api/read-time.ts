const day = /^\d{4}-\d{2}-\d{2}$/
const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i

/**
 * Reads a time of RFC 3339, or a day, which begins at midnight UTC.
 *
 * @returns milliseconds since 1970; NaN for a text of another form, or a day or time that does not exist
 */
export function readTime(text: string): number {
  if (!day.test(text) && !dateTime.test(text)) return Number.NaN
  const midnight = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  // The parser takes the 30th of February for a day of March.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(text.slice(0, 10))) {
    return Number.NaN
  }
  return Date.parse(text)
}
