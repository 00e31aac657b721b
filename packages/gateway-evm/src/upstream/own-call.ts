import { unknownPolicy } from '../methods/method-policy.ts'
import { methodTable } from '../methods/method-table.ts'
import type { CallInfo } from './types.ts'

/** Describes a call that the gateway itself makes. */
export function ownCall(method: string, params: readonly unknown[]): CallInfo {
  return { method, policy: methodTable.get(method)?.policy ?? unknownPolicy, params }
}
