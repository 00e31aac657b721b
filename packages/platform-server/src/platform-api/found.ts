import { PlatformError } from './platform-error.ts'

/**
 * What was looked for in the organization of the caller.
 *
 * @throws {@link PlatformError} `not_found` when it is not there
 */
export function found<value>(value: value | undefined): value {
  if (value === undefined) throw new PlatformError('not_found')
  return value
}
