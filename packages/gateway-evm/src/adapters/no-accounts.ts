import type { Adapter } from './adapter.ts'

/** A hosted node has no accounts of its own, whatever keys its client may hold: it signs and sends for nobody. */
export const noAccounts: Adapter = {
  derivedFrom: [],
  answer: () => Promise.resolve([]),
}
