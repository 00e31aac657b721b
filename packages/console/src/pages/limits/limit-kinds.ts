import type { components } from '@fairlead/platform-client'

type Limits = components['schemas']['LimitsUpdate']

/** A limit that is one number. */
export type NumberLimit = Exclude<keyof Limits, 'methods'>

/** Label and hint of each limit. */
export const limitKinds: Readonly<Record<NumberLimit, { readonly label: string; readonly hint: string }>> = {
  requests_per_second: { label: 'Requests per second', hint: 'Sustained rate.' },
  burst: { label: 'Burst', hint: 'Requests allowed at once. Defaults to the rate.' },
  requests_per_day: { label: 'Requests per day', hint: 'Resets at midnight UTC.' },
  units_per_month: { label: 'Units per month', hint: 'Resets on the first day of the month, UTC.' },
  max_concurrent_calls: { label: 'Concurrent requests', hint: 'Further requests are queued.' },
  max_batch_items: { label: 'Max batch size', hint: 'Calls per JSON-RPC batch.' },
  max_body_bytes: { label: 'Max body size', hint: 'In bytes.' },
  max_log_range: { label: 'Max log query range', hint: 'In blocks.' },
}

/** The names of the limits that are one number. */
export const numberLimits = Object.keys(limitKinds).filter((name): name is NumberLimit => name in limitKinds)

/**
 * Formats the rate limits of methods as lines of text, `debug_* 2 10` for two requests per second and a burst of ten.
 *
 * @param methods - as in the platform API
 */
export function methodRateLines(methods: Limits['methods']): string {
  return Object.entries(methods ?? {})
    .map(([pattern, rate]) => [pattern, rate.requests_per_second, rate.burst ?? ''].join(' ').trim())
    .join('\n')
}

/**
 * Parses the rate limits of methods from lines of text; an invalid number becomes null in JSON and causes a validation
 * error at its field.
 *
 * @param lines - pattern, requests per second and optionally the burst, separated by spaces
 */
export function methodRatesOf(lines: string): NonNullable<Limits['methods']> | null {
  const rates = lines
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([pattern]) => pattern !== undefined && pattern !== '')
    .map(
      ([pattern = '', rate, burst]) =>
        [
          pattern,
          { requests_per_second: Number(rate), burst: burst === undefined ? null : Number(burst) },
        ] as const,
    )
  return rates.length === 0 ? null : Object.fromEntries(rates)
}
