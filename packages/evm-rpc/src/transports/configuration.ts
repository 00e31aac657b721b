import { FairleadError } from '@fairlead/core'

// Timers of every runtime hold 32 bits; a longer wait would end at once.
export const longestMs = 2 ** 31 - 1

/** Refuses an option that is no number from `least` to `most`, both included. */
export function requireNumber(option: string, value: number, least: number, most = Infinity): void {
  if (typeof value === 'number' && value >= least && value <= most) return
  throw new FairleadError('CONFIG_INVALID', { option, rule: `must be a number from ${least} to ${most}` })
}

/** Refuses an option that is no whole number from `least` to `most`, both included. */
export function requireWhole(option: string, value: number, least: number, most = Infinity): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return
  const end = most < Infinity ? ` and at most ${most}` : ''
  throw new FairleadError('CONFIG_INVALID', {
    option,
    rule: `must be a whole number of at least ${least}${end}`,
  })
}

/** Refuses an option that is no number of milliseconds that a timer can wait. */
export function requireMilliseconds(option: string, value: number): void {
  requireNumber(option, value, 0, longestMs)
}

/** Refuses an empty list of transports. */
export function requireTransports(transports: readonly unknown[]): void {
  if (Array.isArray(transports) && transports.length > 0) return
  throw new FairleadError('CONFIG_INVALID', { option: 'transports', rule: 'must hold at least one' })
}
