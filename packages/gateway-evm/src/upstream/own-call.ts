import { stringifyParams } from '@fairlead/gateway-core/json-rpc/rpc-text'
import type { CancellationSignal } from '@fairlead/runtime'
import type { Call } from '../call.ts'
import { unknownPolicy } from '../methods/method-policy.ts'
import { methodTable } from '../methods/method-table.ts'

/** Creates a call that the gateway itself makes. */
export function ownCall(method: string, params: readonly unknown[], signal: CancellationSignal): Call {
  const policy = methodTable.get(method)?.policy ?? unknownPolicy
  return { method, policy, params, paramsText: stringifyParams(params), signal }
}
