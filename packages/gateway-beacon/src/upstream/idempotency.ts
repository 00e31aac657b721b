import { ConnectError } from '@fairlead/gateway-core/rest/rest-call'
import type { RestError } from '@fairlead/gateway-core/rest/rest-error'
import type { BeaconCall } from './types.ts'

// Reads that are posted, as their filters may be too long for an address. The others publish or register something.
const postedRead = /^(?:get|postState)[A-Z]/

/** Tells whether sending a call twice has the same effect as sending it once. */
export function isRepeatable({ method, operationId }: Pick<BeaconCall, 'method' | 'operationId'>): boolean {
  return method === 'GET' || postedRead.test(operationId)
}

/** Tells whether an answer speaks of the node's trouble, so that another node may do better. */
export function isFailure({ status }: { readonly status: number }): boolean {
  return status >= 500 || status === 429
}

/** Tells whether a call that failed may go to another node. */
export function mayFailOver(call: Pick<BeaconCall, 'method' | 'operationId'>, failure: RestError): boolean {
  if (failure instanceof ConnectError) return true
  // Whoever has waited that long is not served by waiting once more.
  return isRepeatable(call) && failure.status !== 504
}
