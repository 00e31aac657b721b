import { PlatformError } from './platform-error.ts'

/**
 * Returns the result of a lookup in the caller's organization.
 *
 * @throws {@link PlatformError} `not_found` when it is undefined
 */
export function orNotFound<value>(value: value | undefined): value {
  if (value === undefined) throw new PlatformError('not_found')
  return value
}
