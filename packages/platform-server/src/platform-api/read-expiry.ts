import { PlatformError } from './platform-error.ts'
import { readTime } from './read-time.ts'

/**
 * Reads a point in time that something ends at. Undefined and null, the end that nobody gave and no end, stay as they are.
 *
 * @param field - name of the field, for the complaint
 * @throws {@link PlatformError} `invalid` when it is no time of RFC 3339 or has passed
 */
export function readExpiry<text extends string | null | undefined>(
  field: string,
  text: text,
  now: number = Date.now(),
): text | string {
  if (typeof text !== 'string') return text
  const time = text.includes('T') ? readTime(text) : Number.NaN
  if (Number.isNaN(time)) throw refused(field, 'Must be a time such as 2026-03-09T14:26:53Z.')
  if (time <= now) throw refused(field, 'Must lie in the future.')
  return new Date(time).toISOString()
}

function refused(field: string, complaint: string): PlatformError {
  return new PlatformError('invalid', { fields: { [field]: [complaint] } })
}
