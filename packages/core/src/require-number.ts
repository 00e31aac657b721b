import { FairleadError } from './error.ts'

/** The longest wait of a timer in milliseconds: those of every runtime hold 32 bits, and a longer one would end at once. */
export const longestMs = 2 ** 31 - 1

/**
 * Refuses an option that is no number from `least` to `most`, both included.
 *
 * @throws FairleadError `CONFIG_INVALID`
 */
export function requireNumber(option: string, value: number, least: number, most = Infinity): void {
  if (typeof value === 'number' && value >= least && value <= most) return
  throw new FairleadError('CONFIG_INVALID', { option, rule: `must be a number from ${least} to ${most}` })
}
