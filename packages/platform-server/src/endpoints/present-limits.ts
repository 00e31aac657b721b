import { startOf } from '@fairlead/gateway-core/usage/current-usage'
import type { Limits, Rate } from '@fairlead/gateway-core/grants/limits'
import type { Body, Success } from '../platform-api/platform-call.ts'
import type { LimitsUse } from '../records/limits.ts'
import type { ValidationErrors } from './upstream-fields.ts'

type LimitsInput = Body<'putNodeLimits'>
type LimitsResource = Omit<Success<'getNodeLimits'>, 'used'>

const dayMs = 86_400_000

/** Converts limits to their form in the platform API. */
export function presentLimits(limits: Limits): LimitsResource {
  const { rate, methodRates } = limits
  return {
    requests_per_second: rate?.requestsPerSecond ?? null,
    burst: rate?.burst ?? null,
    requests_per_day: limits.requestsPerDay ?? null,
    units_per_month: limits.unitsPerMonth ?? null,
    max_concurrent_calls: limits.maxConcurrentCalls ?? null,
    max_batch_items: limits['maxBatchItems'] ?? null,
    max_body_bytes: limits['maxBodyBytes'] ?? null,
    max_log_range: limits['maxLogRange'] ?? null,
    methods:
      methodRates === undefined
        ? null
        : mapValues(methodRates, ({ requestsPerSecond, burst = null }) => ({
            requests_per_second: requestsPerSecond,
            burst,
          })),
  }
}

/** Converts the use of limits to its form in the platform API. */
export function presentUse(use: LimitsUse, now: number = Date.now()): Success<'getNodeLimits'>['used'] {
  // A month has fewer than 32 days, so 32 days after its start lie in the next month.
  const nextMonth = startOf('month', startOf('month', now) + 32 * dayMs)
  return {
    requests_today: use.requestsToday,
    units_this_month: use.unitsThisMonth,
    requests_reset_at: wholeSecond(startOf('day', now) + dayMs),
    units_reset_at: wholeSecond(nextMonth),
  }
}

/** Converts limits to their stored form, which omits null and missing values. */
export function limitsOf(input: LimitsInput): Limits {
  const { requests_per_second: perSecond, burst, methods } = input
  const hasMethods = methods !== undefined && methods !== null && Object.keys(methods).length > 0
  return {
    ...(isDefined(perSecond) && { rate: rateOf(perSecond, burst) }),
    ...(isDefined(input.requests_per_day) && { requestsPerDay: input.requests_per_day }),
    ...(isDefined(input.units_per_month) && { unitsPerMonth: input.units_per_month }),
    ...(isDefined(input.max_concurrent_calls) && { maxConcurrentCalls: input.max_concurrent_calls }),
    ...(isDefined(input.max_batch_items) && { maxBatchItems: input.max_batch_items }),
    ...(isDefined(input.max_body_bytes) && { maxBodyBytes: input.max_body_bytes }),
    ...(isDefined(input.max_log_range) && { maxLogRange: input.max_log_range }),
    ...(hasMethods && {
      methodRates: mapValues(methods, (rate) => rateOf(rate.requests_per_second, rate.burst)),
    }),
  }
}

function rateOf(requestsPerSecond: number, burst: number | null | undefined): Rate {
  return { requestsPerSecond, ...(isDefined(burst) && { burst }) }
}

function isDefined(value: number | null | undefined): value is number {
  return value !== undefined && value !== null
}

function mapValues<from, to>(
  values: Readonly<Record<string, from>>,
  change: (value: from) => to,
): Record<string, to> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

function wholeSecond(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z')
}

const methodPattern = /^(?:\/?[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}\*?|\/?\*)$/

/** Validates limits beyond the syntax of each field. */
export function validateLimits({ requests_per_second, burst, methods }: LimitsInput): ValidationErrors {
  const patterns = Object.keys(methods ?? {})
  return {
    ...(isDefined(burst) && !isDefined(requests_per_second) && { burst: ['Requires requests_per_second.'] }),
    ...(!patterns.every((pattern) => methodPattern.test(pattern)) && {
      methods: ['Must contain method names or gRPC paths, which may end with *.'],
    }),
  }
}
