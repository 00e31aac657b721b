import { PlatformError } from './platform-error.ts'
import { readTime } from './read-time.ts'

/**
 * Parses an expiry time. Undefined (not set) and null (no expiry) are returned unchanged.
 *
 * @param field - name of the field, for the validation error
 * @throws {@link PlatformError} `invalid` when the text is not an RFC 3339 time, or the time has passed
 */
export function readExpiry<text extends string | null | undefined>(
  field: string,
  text: text,
  now: number = Date.now(),
): text | string {
  if (typeof text !== 'string') return text
  const time = text.includes('T') ? readTime(text) : Number.NaN
  if (Number.isNaN(time)) throw invalidField(field, 'Must be a time such as 2026-03-09T14:26:53Z.')
  if (time <= now) throw invalidField(field, 'Must be in the future.')
  return new Date(time).toISOString()
}

function invalidField(field: string, message: string): PlatformError {
  return new PlatformError('invalid', { fields: { [field]: [message] } })
}
