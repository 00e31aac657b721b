import type { Quantity } from './quantity.ts'
import { constantOf } from './source-constant.ts'

/** Quantities by name. */
export type Facts = Readonly<Record<string, Quantity>>

type Source = readonly [path: string, name: string | RegExp]

/** A number of the code that is counted. See {@link constantOf}. */
export const count = (...source: Source): Quantity => ({ value: constantOf(...source), measure: 'count' })

/** A size in bytes in the code. */
export const bytes = (...source: Source): Quantity => ({ value: constantOf(...source), measure: 'bytes' })

/** A time in milliseconds in the code. */
export const ms = (...source: Source): Quantity => ({ value: constantOf(...source), measure: 'ms' })

/** A time in seconds in the code. */
export const seconds = (...source: Source): Quantity => times(ms(...source), 1_000)

/** A time in minutes in the code. */
export const minutes = (...source: Source): Quantity => times(ms(...source), 60_000)

/** A time in hours in the code. */
export const hours = (...source: Source): Quantity => times(ms(...source), 3_600_000)

/** A time in days in the code. */
export const days = (...source: Source): Quantity => times(ms(...source), 86_400_000)

/** Multiplies a quantity. */
export function times({ value, measure }: Quantity, factor: number): Quantity {
  return { value: value * factor, measure }
}

/** Adds quantities of one measure. */
export function plus(first: Quantity, ...others: readonly Quantity[]): Quantity {
  return { value: others.reduce((sum, { value }) => sum + value, first.value), measure: first.measure }
}
