const day = /^\d{4}-\d{2}-\d{2}$/
const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i

/** Bounds that the database and every client can represent: the years 1 to 9999, in UTC. */
const earliest = Date.parse('0001-01-01T00:00:00Z')
export const latestTime = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Parses an RFC 3339 time, or a day, which starts at midnight UTC.
 *
 * @returns milliseconds since 1970; NaN for a text of another form, a day or time that does not exist, or one outside
 *   of the years 1 to 9999 in UTC
 */
export function readTime(text: string): number {
  if (!day.test(text) && !dateTime.test(text)) return Number.NaN
  const midnight = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  // Date.parse accepts 30 February as a day in March.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(text.slice(0, 10))) {
    return Number.NaN
  }
  const time = Date.parse(text)
  return time >= earliest && time <= latestTime ? time : Number.NaN
}
