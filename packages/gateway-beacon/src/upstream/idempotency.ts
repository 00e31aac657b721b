import type { BeaconCall } from './types.ts'

// Reads that are posted, as their filters may be too long for an address. The others publish or register something.
const postedRead = /^(?:get|postState)[A-Z]/

/** Tells whether sending a call twice has the same effect as sending it once. */
export function isRepeatable({ method, operationId }: Pick<BeaconCall, 'method' | 'operationId'>): boolean {
  return method === 'GET' || postedRead.test(operationId)
}
