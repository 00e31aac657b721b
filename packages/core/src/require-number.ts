import { FairleadError } from './error.ts'

/**
 * The longest timer delay in milliseconds. Timers of every runtime use 32 bits, and a longer delay would fire at once.
 */
export const longestMs = 2 ** 31 - 1

/**
 * Rejects an option that is not a number from `least` to `most`, both included.
 *
 * @throws FairleadError `CONFIG_INVALID`
 */
export function requireNumber(option: string, value: number, least: number, most = Infinity): void {
  if (typeof value === 'number' && value >= least && value <= most) return
  throw new FairleadError('CONFIG_INVALID', { option, rule: `must be a number from ${least} to ${most}` })
}
