import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import { promised } from '@fairlead/runtime'
import { beginDispatch } from '../dispatch/dispatch.ts'
import type { ResolvedCall } from '../methods/resolve-method.ts'
import type { UpstreamResponse } from '../response/upstream-response.ts'

/** Responds to a call without admission. Rejects with the error in place of its text. */
export function dispatchedCall(
  call: ResolvedCall,
  reservation?: Reservation,
): Promise<string | UpstreamResponse> {
  return promised((completion) => beginDispatch(call, completion, reservation))
}
