import { FairleadError, longestMs, requireNumber } from '@fairlead/core'

/** Rejects an option that is not a whole number from `least` to `most`, both included. */
export function requireInteger(option: string, value: number, min: number, max = Infinity): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return
  const upperBound = max < Infinity ? ` and at most ${max}` : ''
  throw new FairleadError('CONFIG_INVALID', {
    option,
    rule: `must be a whole number of at least ${min}${upperBound}`,
  })
}

/** Rejects an option that is not a valid timer delay in milliseconds. */
export function requireMilliseconds(option: string, value: number): void {
  requireNumber(option, value, 0, longestMs)
}

/** Rejects an empty list of transports. */
export function requireTransports(transports: readonly unknown[]): void {
  if (Array.isArray(transports) && transports.length > 0) return
  throw new FairleadError('CONFIG_INVALID', { option: 'transports', rule: 'must hold at least one' })
}
