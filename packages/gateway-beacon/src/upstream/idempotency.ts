import type { BeaconCall } from './types.ts'

// Reads that use POST because their filters may be too long for a URL. Other POST operations publish or register
// something.
const postedRead = /^(?:get|postState)[A-Z]/

/** Returns whether sending a call twice has the same effect as sending it once. */
export function isRepeatable({ method, operationId }: Pick<BeaconCall, 'method' | 'operationId'>): boolean {
  return method === 'GET' || postedRead.test(operationId)
}
