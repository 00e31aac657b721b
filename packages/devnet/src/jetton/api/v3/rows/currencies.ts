import type { CurrencyCollection } from '@ton/core'

/** Formats the extra currencies of an amount, by their ids in decimal. */
export function extraCurrencies({ other }: CurrencyCollection): Record<string, string> {
  return Object.fromEntries((other?.keys() ?? []).map((id) => [id, String(other?.get(id))]))
}
