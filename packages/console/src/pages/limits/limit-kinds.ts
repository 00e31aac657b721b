import type { components } from '@fairlead/platform-client'

type Limits = components['schemas']['LimitsUpdate']

/** A limit that is one number. */
export type NumberLimit = Exclude<keyof Limits, 'methods'>

/** Label and hint of each limit. */
export const limitKinds: Readonly<Record<NumberLimit, { readonly label: string; readonly hint: string }>> = {
  requests_per_second: { label: 'Requests per second', hint: 'The rate that is kept up.' },
  burst: { label: 'Burst', hint: 'Requests at once above the rate.' },
  requests_per_day: { label: 'Requests per day', hint: 'Counted from midnight, UTC.' },
  units_per_month: { label: 'Units per month', hint: 'Counted from the first day, UTC.' },
  max_concurrent_calls: { label: 'Calls at once', hint: 'More wait for a place.' },
  max_batch_items: { label: 'Calls in a batch', hint: 'Of JSON-RPC.' },
  max_body_bytes: { label: 'Bytes of a request', hint: 'Of its body.' },
  max_log_range: { label: 'Blocks of a log query', hint: 'Between first and last.' },
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
