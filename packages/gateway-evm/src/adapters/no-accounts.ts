import type { Adapter } from './adapter.ts'

/**
 * Returns an empty list. A hosted node has no accounts, even if its execution client holds keys, and does not sign or
 * send for callers.
 */
export const noAccounts: Adapter = {
  derivedFrom: [],
  handle: () => Promise.resolve([]),
}
