import type { Method } from '@fairlead/core'
import { methods } from '@fairlead/evm-rpc/contract'
import { policies } from '../generated/method-policies.ts'
import type { MethodName, SpecifiedMethod } from './method-policy.ts'

/** Every method of the specification by name. */
export const methodTable: ReadonlyMap<string, SpecifiedMethod> = new Map(
  Object.entries<Method>(methods).map(([name, method]) => [
    name,
    { method, policy: policies[name as MethodName] },
  ]),
)
